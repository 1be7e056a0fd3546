package gemini

import (
	"edgelingua/translator/events"
	"edgelingua/translator/failure"
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// decoder reads one answer: the chunks of a stream, or a plain body. Both are the same object
// (Gemini API, "GenerateContentResponse") and share all functions. Only the first candidate is
// read: no client can ask for more. The decoder also accepts members in snake_case, protobuf's
// other form of JSON, from proxies that print the objects of Google's Python libraries.
type decoder struct {
	index   jsonr.Index // of the chunk or body being read
	request *ir.Request
	lost    *ir.Lost
	// counts blocks and makes the ids of calls. It buffers nothing: parts are never interleaved
	out   events.Queue
	names google.RenamedTools
	id    []byte // the upstream's id of the answer

	open      ir.BlockKind // the open block, 0 for none
	hidden    bool         // the client's API has no form for the open block
	origin    string       // of signatures
	signature []byte       // of the open block, text or reasoning: yielded when the block ends
	blob      []byte       // the buffer for the signature of a redacted block
	phase     ir.Phase     // the phase of a text when its block ends
	number    int          // of the last block that has begun, from 1
	called    bool         // a call has been yielded
	spoken    bool         // a text has come
	call      events.Call  // the last call
	args      arguments    // of the last call, if its arguments come in parts

	stop     ir.StopReason // 0 while the upstream is answering
	resumed  bool          // finishReason came, and then more of the answer
	why      []byte        // the filter's explanation, if a filter has stopped the answer
	usage    ir.Usage
	own      bool // the client speaks this API too
	counts   counts
	logprobs []byte // of the text in the chunk being read, until they are yielded

	sources sources
}

func newDecoder(r *ir.Request, t *ir.Target, lost *ir.Lost, sink ir.Sink) ir.Decoder {
	d := &decoder{request: r, lost: lost, origin: originOf(t), usage: ir.NoUsage, counts: noCounts,
		names: google.Renamed(r), own: r.API.Name == Name}
	d.sources.text = google.NewCitedText(r)
	d.out.Init(sink, nil, "")
	return d
}

// Event reads one chunk. The API's events have no names, and nothing follows the last chunk, except
// that antigravity2api-nodejs appends the [DONE] of OpenAI's API (issue 73). The name "error" says
// that the data is an error.
func (d *decoder) Event(name, data string) {
	switch {
	case d.out.Ended():
	case data == "[DONE]":
		d.Close(nil)
	case name == "error":
		d.out.Fail(google.DecodeEvent(data))
	case d.index.Check(data) != nil:
		d.out.Fail(failure.Unreadable("an event is not JSON"))
	default:
		d.answer(data)
	}
}

// Body reads a whole plain answer. A body with parts but without a finishReason is complete too.
func (d *decoder) Body(body string) {
	if d.out.Ended() {
		return
	}
	if d.index.Check(body) != nil {
		d.out.Fail(failure.NotJSON(body))
		return
	}
	d.answer(body)
	switch {
	case d.stop != 0:
	case d.number > 0:
		d.stop = ir.EndTurn
	case !d.out.Started():
		d.out.Fail(failure.Unreadable("the body has no candidates"))
	}
	d.end(nil)
}

// Complete reports whether a finishReason has come, and no more of the answer after it. Gemini 1.5
// sends a finishReason in each chunk (PublicAffairs/openai-gemini#18): then only the end of the
// stream says that the answer is complete.
func (d *decoder) Complete() bool { return d.stop != 0 && !d.resumed || d.out.Ended() }

// Close ends the stream. cause is what cut the stream, nil for a clean end. If the stream was cut
// after a finishReason like Gemini 1.5's, the answer is incomplete.
func (d *decoder) Close(cause *ir.Error) {
	if cause != nil && d.resumed {
		d.stop = 0
	}
	d.end(cause)
}

// header holds the members that each chunk repeats: the first chunk's count.
type header struct{ id, model ir.Raw }

// answer reads one chunk or body. It collects all members first and uses them afterwards, since
// their order is not fixed.
func (d *decoder) answer(text string) {
	var h header
	var candidates, feedback jsonr.Reader
	r := d.index.Reader()
	failed := google.IsListOfErrors(r)
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "responseId", "response_id":
			h.id = r.Value()
		case "modelVersion", "model_version":
			h.model = r.Value()
		case "candidates":
			candidates = r.Here()
		case "promptFeedback", "prompt_feedback":
			feedback = r.Here()
		case "usageMetadata", "usage_metadata":
			if d.own {
				usage := r.Copy()
				d.out.OwnUsage(usage.Value(), d.lost)
			}
			d.count(&r)
		case "error":
			failed = !jsonr.IsNothing(r.Value()) || failed
		default:
			d.out.Own(d.own, "", &r, d.lost)
		}
	}
	if failed {
		d.out.Fail(google.DecodeEvent(text))
		return
	}
	place := int64(0)
	for candidates.OpenArray(); !d.out.Ended() && candidates.Element(); place++ {
		d.candidate(&candidates, &h, place)
	}
	d.blocked(&feedback, &h)
}

// candidate reads one element of candidates. place is the element's index if its member index is
// missing: protobuf's JSON may leave out a 0.
func (d *decoder) candidate(r *jsonr.Reader, h *header, place int64) {
	var content jsonr.Reader
	var reason, message, logprobs, grounding, citations ir.Raw
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "index":
			place, _ = jsonr.Int(r.Value())
		case "content":
			content = r.Here()
		case "finishReason", "finish_reason":
			reason = r.Value()
		case "finishMessage", "finish_message":
			message = r.Value()
		case "logprobsResult", "logprobs_result":
			logprobs = r.Value()
		case "groundingMetadata", "grounding_metadata":
			grounding = r.Value()
		case "citationMetadata", "citation_metadata":
			citations = r.Value()
		case "urlContextMetadata", "url_context_metadata":
			// the URLs of the webpages that were read, without their contents
			d.lose(lostPages, r.Value())
		case "tokenCount", "token_count": // a part of usageMetadata
		default:
			d.lost.AddMember("candidates[]", r)
		}
	}
	if place != 0 {
		d.lost.Add(lostCandidate)
		return
	}
	d.start(h)
	d.sources.buffer(d, &d.sources.grounding, grounding, lostGrounding)
	d.sources.buffer(d, &d.sources.recited, citations, lostCitations)
	d.readLogprobs(logprobs)
	for content.OpenObject(); content.Member(); {
		if content.Key() != "parts" {
			continue
		}
		for content.OpenArray(); !d.out.Ended() && content.Element(); {
			d.part(&content)
		}
		if d.out.Ended() { // content is still inside the list of parts
			return
		}
	}
	if len(d.logprobs) > 0 {
		d.lost.Add(lostLogprobs)
		d.logprobs = d.logprobs[:0]
	}
	if why, _ := jsonr.Text(reason); why != "" && !d.out.Ended() {
		words, _ := jsonr.Text(message)
		d.finished(why, words)
	}
}

// start yields Start, once.
func (d *decoder) start(h *header) {
	if d.out.Started() {
		return
	}
	id, _ := jsonr.Text(h.id)
	if id == "" {
		id = ir.MadeID(d.request)
	}
	model, _ := jsonr.Text(h.model)
	d.id = append(d.id, id...)
	d.out.Start(id, model, 0, d.usage)
}

// end yields the answer's end: Finish if a finishReason has come, otherwise Failure. cause is what
// cut the stream, nil for a clean end.
func (d *decoder) end(cause *ir.Error) {
	switch {
	case d.out.Ended():
	case d.stop != 0:
		d.finish()
	case cause != nil:
		d.out.Fail(cause)
	default:
		d.out.Fail(failure.Incomplete())
	}
}
