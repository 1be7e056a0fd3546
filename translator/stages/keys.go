package stages

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/schema"
)

// Keys are the renamed properties of a request's tools, by the tool's name; nil: none.
type Keys map[ir.Escaped]*schema.Keys

// RenameKeys returns r for an upstream with target t. If the upstream refuses keys of properties in
// the schemas of tools, such keys are renamed in the schemas, and in the history's calls of these
// tools. RestoreKeys needs keys. Renamed keys are no loss, because the client gets its own back.
func RenameKeys(r *ir.Request, t *ir.Target) (sent *ir.Request, keys Keys) {
	if !t.PlainKeys {
		return r, nil
	}
	sent = r
	for i := range r.Tools {
		tool := &r.Tools[i]
		renamed, of := schema.RenameKeys(tool.Schema)
		if of == nil {
			continue
		}
		if keys == nil {
			copied := *r
			copied.Tools = append([]ir.Tool(nil), r.Tools...)
			sent, keys = &copied, Keys{}
		}
		keys[tool.Name] = of
		sent.Tools[i].Schema, sent.Tools[i].Examples = renamed, of.Rename(tool.Examples)
	}
	if keys != nil {
		keys.history(sent)
	}
	return sent, keys
}

// RenameMoreKeys is RenameKeys for a request that has more tools since RenameKeys returned keys.
//
//go:noinline
func RenameMoreKeys(r *ir.Request, t *ir.Target, keys Keys) (sent *ir.Request, all Keys) {
	sent, more := RenameKeys(r, t)
	if more == nil {
		return sent, keys
	}
	for name, of := range keys {
		more[name] = of
	}
	return sent, more
}

// history renames the keys in the history's calls.
func (k Keys) history(r *ir.Request) {
	messages := append([]ir.Message(nil), r.Messages...)
	for m := range messages {
		content, copied := messages[m].Content, false
		for i := range content {
			keys := k[content[i].Name]
			if keys == nil || content[i].Kind != ir.ToolCallContent {
				continue
			}
			if !copied {
				content, copied = append([]ir.Content(nil), content...), true
			}
			content[i].Input = keys.Rename(content[i].Input)
		}
		messages[m].Content = content
	}
	r.Messages = messages
}

// RestoreKeys returns a sink that passes events to sink. In calls it restores the client's keys of
// properties while the arguments arrive.
func RestoreKeys(keys Keys, sink ir.Sink) ir.Sink {
	if keys == nil {
		return sink
	}
	return &keyRestorer{sink: sink, keys: keys}
}

// maxKeyDepth is how deep arguments may be nested. The keys below are passed on unchanged.
const maxKeyDepth = 128

// keyRestorer is the sink of RestoreKeys. It reads arguments as JSON, which arrives escaped as in a
// string, and buffers a key until its end: at most maxKey bytes, since longer keys are unchanged.
type keyRestorer struct {
	sink    ir.Sink
	keys    Keys
	called  *schema.Keys // of the tool of the open call; nil: none
	objects [maxKeyDepth / 64]uint64
	depth   int // how many arrays and objects are open; the bits in objects say which are objects

	beforeKey, inText, inKey, escaped bool

	key []byte // the key so far, if inKey is set
	out []byte // the output for the current delta
	ev  ir.Event
}

// maxKey is the length of the longest key that RenameKeys makes.
const maxKey = 64

// Event implements ir.Sink.
//
//go:noinline
func (k *keyRestorer) Event(ev *ir.Event) {
	switch {
	case ev.Kind == ir.BlockStart && ev.Block == ir.ToolCallBlock:
		k.called, k.depth = k.keys[ev.Name], 0
		k.beforeKey, k.inText, k.inKey, k.escaped = false, false, false, false
	case k.called == nil:
	case ev.Kind == ir.Delta && ev.Delta == ir.TextDelta:
		k.out = k.out[:0]
		for i := 0; i < len(ev.Text); {
			unit, width := uint16(ev.Text[i]), 1
			if ev.Text[i] == '\\' {
				unit, width = jsonw.UnitAt(ev.Text[i:])
			}
			k.read(unit, ev.Text[i:i+width])
			i += width
		}
		k.pass()
		return
	case ev.Kind == ir.BlockStop || ev.Kind == ir.Failure:
		k.out = k.out[:0]
		k.flush()
		k.pass()
		k.called = nil
	}
	k.sink.Event(ev)
}

// read reads one character of the arguments. written is its form in the delta.
func (k *keyRestorer) read(unit uint16, written ir.Escaped) {
	switch {
	case !k.inText:
		k.structure(unit)
	case k.escaped:
		k.escaped = false
	case unit == '"':
		if client, ok := k.called.Client(string(jsonw.View(k.key))); ok && k.inKey {
			k.key = append(k.key[:0], client...)
		}
		k.flush()
		k.inText = false
	case unit == '\\' || len(written) > 1 || len(k.key) == maxKey: // no renamed key has such characters
		k.flush()
		k.escaped = unit == '\\'
	case k.inKey:
		k.key = append(k.key, written...)
		return
	}
	k.out = append(k.out, written...)
}

// structure reads a character outside of strings.
func (k *keyRestorer) structure(unit uint16) {
	switch unit {
	case '{', '[':
		if k.depth < maxKeyDepth {
			word, bit := k.depth/64, uint64(1)<<(k.depth%64)
			k.objects[word] &^= bit
			if unit == '{' {
				k.objects[word] |= bit
			}
		}
		k.depth++
		k.beforeKey = k.inObject()
	case '}', ']':
		k.depth = max(k.depth-1, 0)
		k.beforeKey = false
	case ',':
		k.beforeKey = k.inObject()
	case ':':
		k.beforeKey = false
	case '"':
		k.inText, k.inKey = true, k.beforeKey
	}
}

// inObject reports whether the innermost open array or object is an object.
func (k *keyRestorer) inObject() bool {
	d := k.depth - 1
	return d >= 0 && d < maxKeyDepth && k.objects[d/64]>>(d%64)&1 == 1
}

// flush ends the buffered key.
func (k *keyRestorer) flush() {
	k.out = append(k.out, k.key...)
	k.key, k.inKey = k.key[:0], false
}

// pass passes the output on as a delta.
func (k *keyRestorer) pass() {
	if len(k.out) > 0 {
		k.ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: jsonw.View(k.out)}
		k.sink.Event(&k.ev)
	}
}
