package chat

import (
	"strings"

	"edgelingua/translator/events"
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// decoder reads one answer: the chunks of a stream (API reference, "The chat completion chunk
// object") or a plain body ("The chat completion object"). Both use the same functions. Only the
// first choice is read: no client can ask for more.
type decoder struct {
	index   jsonr.Index // of the current chunk or body
	request *ir.Request
	target  *ir.Target
	lost    *ir.Lost
	out     events.Queue // numbers blocks by their index in blocks
	blocks  []block
	names   ir.RenamedTools
	think   thinking
	id      []byte // the upstream's id of the answer

	progress     progress
	stop         ir.StopReason // 0 while progress is answering
	stopSequence ir.Escaped    // the client's stop sequence, if stop is ir.StopSequence
	lastError    *ir.Error     // the message of the last event, if the event had a message instead of choices
	usage        ir.Usage
	own          bool // the client speaks this API too

	sources  []byte // the list of sources beside the choices of the last chunk
	logprobs ir.Raw // of the current choice's text, until they are sent
	cited    bool   // annotations have named sources

	flat      bool // the answer has no choices: see flat
	calledNew bool // tool_calls have come: a function_call is the same call in the API's older form
	reasoned  bool // reasoning_content or reasoning has come: the text in reasoning_details is the same text
}

// progress says how much of the answer the upstream has sent.
type progress uint8

const (
	answering progress = iota
	stopped            // finish_reason has come
	resumed            // finish_reason came, and then more text or calls
	closing            // nothing more will come: buffered blocks are sent
)

func newDecoder(r *ir.Request, t *ir.Target, l *ir.Lost, sink ir.Sink) *decoder {
	d := &decoder{request: r, target: t, lost: l, usage: ir.NoUsage,
		names: r.Renamed(t, openai.MaxIdentifier)}
	d.own = r.API.Name == Name
	d.out.Init(sink, d, "it has more than 8 MB of interleaved tool calls")
	return d
}

// Event reads one chunk. Events of this API have no names. The name "error", which package sse also
// gives to llama.cpp's field error, means that data is an error. Any other name is ignored.
func (d *decoder) Event(name, data string) {
	if d.out.Ended() {
		return
	}
	if name == "error" {
		d.out.Fail(failure.DecodeEvent(data))
		return
	}
	if data == "[DONE]" {
		d.flatEnd()
		d.end(nil)
		return
	}
	if d.index.Check(data) != nil {
		d.out.Fail(failure.Unreadable("an event is not JSON"))
		return
	}
	d.answer(data, false)
}

// Body reads a whole plain answer, which is complete even without a finish_reason.
func (d *decoder) Body(body string) {
	if d.out.Ended() {
		return
	}
	if d.index.Check(body) != nil {
		d.out.Fail(failure.NotJSON(body))
		return
	}
	d.answer(body, true)
	if !d.out.Started() {
		d.out.Fail(failure.Unreadable("the body has no choices"))
		return
	}
	d.flatEnd()
	if d.stop == 0 {
		d.stop = ir.EndTurn
	}
	d.end(nil)
}

// Complete reports whether finish_reason has come and no text or call after it: only the usage may
// be missing.
func (d *decoder) Complete() bool { return d.progress == stopped || d.out.Ended() }

// Close ends the answer where the stream ends. cause is the error that cut the stream, or nil.
func (d *decoder) Close(cause *ir.Error) { d.end(cause) }

// answer reads one chunk or body. The order of members is not fixed, so all members are gathered
// before any is used. Instead of choices there may be an error, in any form known to package
// failure. A mere message, as {"message": "..."}, is an error in a body. In a stream it may be a
// progress report, and is an error only if the stream ends after it.
func (d *decoder) answer(text string, whole bool) {
	var h header
	var choices jsonr.Reader
	var usage, groq, citations, found ir.Raw
	var flat flat
	failed, words := false, false
	r := d.index.Reader()
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "id":
			h.id = r.Value()
		case "model":
			h.model = r.Value()
		case "created":
			h.created = r.Value()
		case "choices":
			choices = r.Here()
		case "response":
			flat.text = r.Value()
		case "tool_calls":
			flat.calls = r.Here()
		case "finish_reason":
			flat.reason = r.Value()
		case "usage":
			usage = r.Value()
		case "x_groq":
			for r.OpenObject(); r.Member(); {
				if v := r.Value(); r.Key() == "usage" {
					groq = v
				}
			}
		case "service_tier":
			tier, _ := jsonr.Text(r.Value())
			d.out.SetTier(ir.TierOf(tier))
		case "citations":
			citations = r.Value()
		case "search_results":
			found = r.Value()
		case "error":
			v := r.Value()
			k := jsonr.KindOf(v)
			failed = failed || k == jsonr.Object || k == jsonr.String && v != `""`
		case "object", "type":
			failed = failed || r.Value() == `"error"`
		case "message":
			words = words || r.Kind() == jsonr.String
		case "detail", "msg", "errors":
			words = words || r.Kind() != jsonr.Null
		case "system_fingerprint", "moderation", "metadata":
			d.out.Own(d.own, "", &r, d.lost)
		case "p", "obfuscation", "code": // padding; a part of an error
		default:
			if d.own {
				d.lost.AddMember("", &r)
			}
		}
	}
	words = words && choices.Kind() == jsonr.Missing
	if failed || words && whole {
		d.out.Fail(failure.DecodeEvent(text))
		return
	}
	d.lastError = nil
	if words {
		said := *failure.DecodeEvent(text)
		said.Message = strings.Clone(said.Message)
		said.Code = strings.Clone(said.Code)
		d.lastError = &said
	}
	if jsonr.KindOf(usage) != jsonr.Object {
		usage = groq // console.groq.com/docs/text-chat: the last chunk of a stream has x_groq.usage
	}
	counted := jsonr.KindOf(usage) == jsonr.Object
	if counted {
		// the last usage counts: SiliconFlow, for one, sends usage in each chunk
		// (dart_agent_core#23)
		d.usage = readUsage(usage, d.target)
		if d.own {
			d.out.OwnUsage(usage, d.lost)
		}
	}
	d.keepSources(citations, found)
	if d.target.FlatAnswers && choices.Kind() != jsonr.Array {
		d.flatAnswer(&h, &flat, whole)
	}
	if choices.Kind() == jsonr.Array {
		for choices.OpenArray(); choices.Element(); {
			d.choice(&choices, &h, whole)
			if d.out.Ended() {
				return
			}
		}
	}
	if d.stop != 0 && counted { // the last count: [DONE] may be late or missing (FAULTS 47)
		d.end(nil)
	}
}

// Doubts reports whether the last chunk had a message instead of choices. The message is a failure
// if nothing follows.
func (d *decoder) Doubts() bool { return d.lastError != nil }

// choice reads one element of choices. The answer is in delta, in a plain body in message.
// Perplexity repeats the whole answer so far in message beside each delta (docs.perplexity.ai,
// "Stream mode"), so delta has precedence. WebAI-to-API (issue 55) streams with message only.
// Beside an empty delta, message may have parts that no delta had.
func (d *decoder) choice(r *jsonr.Reader, h *header, whole bool) {
	var delta, message jsonr.Reader
	var reason, matched, logprobs, failed ir.Raw
	index := int64(0)
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "index":
			index, _ = jsonr.Int(r.Value())
		case "delta":
			delta = r.Here()
		case "message":
			message = r.Here()
		case "finish_reason":
			reason = r.Value()
		case "stop_reason", "matched_stop":
			matched = r.Value()
		case "logprobs":
			logprobs = r.Value()
		case "error":
			failed = r.Value()
		}
	}
	if delta.Kind() != jsonr.Object {
		delta = message
	}
	if index != 0 {
		d.lose(lostChoice, delta.Value())
		return
	}
	d.readLogprobs(logprobs)
	if jsonr.KindOf(failed) == jsonr.Object {
		d.out.Fail(failure.DecodeEvent(`{"error":` + string(failed) + `}`))
		return
	}
	d.start(h)
	switch {
	case delta.Kind() != jsonr.Object:
	case message.Kind() == jsonr.Object && isEmpty(delta):
		d.beside(&message)
	default:
		d.message(&delta, whole)
	}
	// the rest belongs to a token without text: vLLM sends a part of a character like this
	if !jsonr.IsNothing(d.logprobs) && d.out.Block() == ir.TextBlock {
		d.out.Logprobs(d.logprobs)
	} else {
		d.lose(lostLogprobs, d.logprobs)
	}
	d.logprobs = ""
	// "null": KoboldCpp until March 2025 (AIShell#350)
	if why, _ := jsonr.Text(reason); why != "" && why != "null" && !d.out.Ended() {
		d.finished(why, matched)
	}
}

// isEmpty reports whether an object has no members.
func isEmpty(r jsonr.Reader) bool {
	r.OpenObject()
	return !r.Member()
}

// beside reads a whole message beside an empty delta. If deltas have brought blocks, the message
// repeats them, and only calls are read: calls that have not come, and arguments that are missing
// or incomplete. The nth call of the message is the nth call of the answer.
//
//go:noinline
func (d *decoder) beside(message *jsonr.Reader) {
	if len(d.blocks) == 0 {
		d.message(message, true)
		return
	}
	n := -1
	for message.OpenObject(); message.Member(); {
		if message.Key() != "tool_calls" {
			continue
		}
		for message.OpenArray(); !d.out.Ended() && message.Element(); {
			for n++; n < len(d.blocks) && !d.blocks[n].isCall(); {
				n++
			}
			p := readPiece(message, true)
			if n >= len(d.blocks) {
				d.take(&p, true)
				continue
			}
			a := &d.blocks[n].args
			if text, _ := jsonr.Text(p.arguments); a.state == unbegun {
				d.giveArguments(n, &p)
			} else if a.state != complete && len(a.buffered) == 0 && a.repeated(text) {
				d.gather(n, text[a.size:])
			}
		}
		if d.out.Ended() { // message is in the middle of tool_calls
			return
		}
	}
}

// readLogprobs reads {"content":[...],"refusal":[...]}, the probabilities of the tokens of the
// choice's text. They are lost if the client has not asked for them; those of a refusal always are.
func (d *decoder) readLogprobs(v ir.Raw) {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		key, list := r.Key(), r.Value()
		if key == "content" && d.request.Logprobs != "" && jsonr.KindOf(list) == jsonr.Array {
			d.logprobs = list
		} else {
			d.lose(lostLogprobs, list)
		}
	}
}

// header has the members that each chunk repeats: the first chunk counts.
type header struct{ id, model, created ir.Raw }

// start yields Start, once.
func (d *decoder) start(h *header) {
	if !d.out.Started() {
		id, _ := jsonr.Text(h.id)
		if id == "" {
			id = ir.MadeID(d.request)
		}
		model, _ := jsonr.Text(h.model)
		d.id = append(d.id, id...)
		d.out.Start(id, model, max(jsonr.Count(h.created), 0), ir.NoUsage)
	}
}

// end yields the end of the answer: Finish if a finish_reason has come, else Failure. cause is the
// error that cut the stream, nil if the stream simply ended.
func (d *decoder) end(cause *ir.Error) {
	switch {
	case d.out.Ended():
		return
	case d.stop != 0:
		d.flushHeld()
		d.citeSources()
		d.finishBlocks()
		d.out.Finish(d.stopReason(), d.stopSequence, d.usage)
		return
	case cause == nil && d.lastError != nil:
		cause = d.lastError
	case cause == nil:
		cause = failure.Incomplete()
	}
	d.out.Fail(cause)
}
