package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// isCompact reports whether a client's path asks for a compacted conversation. The path may have a
// query.
func isCompact(path string) bool { return strings.HasPrefix(path, "/v1/responses/compact") }

// compaction returns the request's compaction, to be filled in.
func (d *requestDecoder) compaction() *ir.Compaction {
	if d.request.Compaction == nil {
		d.request.Compaction = &ir.Compaction{}
	}
	return d.request.Compaction
}

// management reads "context_management" (API reference, "Create a model response"): a list whose
// only known entry is {"type":"compaction","compact_threshold":N}. Without N OpenAI chooses a
// threshold by the model's window, which is unknown here. An entry without N is therefore lost,
// unless the upstream is OpenAI: OpenAI gets the member unchanged.
func (d *requestDecoder) management(r *jsonr.Reader) *ir.Error {
	const path = "context_management"
	if r.Kind() != jsonr.Array {
		return openai.WrongType(path, "an array of objects", r.Kind())
	}
	c := d.compaction()
	here := *r
	c.Raw = here.Value()
	at := ir.Pos{Form: path + "[]"}
	n := 0
	for r.OpenArray(); r.Element(); n++ {
		at := at.Element(n)
		if r.Kind() != jsonr.Object {
			return openai.WrongType(at.String(), "an object", r.Kind())
		}
		kind, threshold := ir.Escaped(""), int64(0)
		for r.OpenObject(); r.Member(); {
			var err *ir.Error
			switch {
			case r.Key() == "type":
				kind, _ = jsonr.Text(r.Value())
			case r.Key() == "compact_threshold" && r.Kind() != jsonr.Null:
				threshold, err = openai.ReadPositive(r, at.Path(".compact_threshold"))
			}
			if err != nil {
				return err
			}
		}
		switch {
		case kind != "compaction":
			return openai.Unsupported(at.Path(".type"), kind, "'compaction'")
		case threshold == 0:
			c.Unset = at.Path(".compact_threshold")
		default:
			c.Threshold, c.Path = threshold, at.String()
		}
	}
	return nil
}

// compacted reads an item with a compaction. A compaction in our envelope replaces everything the
// model said and did before, and becomes user text. Any other is OpenAI's: the item and all
// preceding items stay unchanged. Of several compactions the last one counts. A trigger directly
// before a compaction is no longer pending: in a stored conversation, the compaction is its answer.
func (d *requestDecoder) compacted(f *fields, whole ir.Raw, at ir.Pos) *ir.Error {
	d.triggered = ""
	text, _ := jsonr.Text(f.encrypted)
	if text == "" {
		return openai.Missing(at.Path(".encrypted_content"))
	}
	if !ir.IsEnvelope(text) {
		d.take(userSpeaker)
		d.content = append(d.content, ir.Content{Kind: ir.OpaqueContent, At: at, Raw: whole, Summary: true})
		return nil
	}
	c, ok := ir.Summary(text, at)
	if !ok {
		return openai.Invalid(at.Path(".encrypted_content"),
			"Invalid compaction: its encrypted_content was cut or changed, or belongs to another item. "+
				"Send the item as it was received, or remove it and send the conversation itself.")
	}
	d.take(noSpeaker)
	list := d.request.Messages
	d.before += len(ir.BeforeSummary(list[d.before:]))
	d.request.Messages = list[:d.before]
	d.searching = nil
	d.take(userSpeaker)
	d.content = append(d.content, c)
	return nil
}
