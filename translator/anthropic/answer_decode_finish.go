package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// messageDelta reads the reason for the answer's end, from the delta of message_delta or from a
// whole message.
func (d *decoder) messageDelta(r *jsonr.Reader) {
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "stop_reason":
			if reason, _ := jsonr.Text(r.Value()); reason != "" {
				d.stop = stopOf(reason)
				// other APIs can't ask the client to send the answer back for its continuation
				if d.stop == ir.PauseTurn && !d.own {
					d.lost.Add("stop_reason")
				}
			}
		case "stop_sequence":
			if sequence, ok := jsonr.Text(r.Value()); ok {
				d.stopSequence = append(d.stopSequence[:0], sequence...)
			}
		case "stop_details":
			if r.Kind() == jsonr.Object {
				d.stopDetails(r)
			}
		case "context_management": // of a whole message: in a stream it is beside the delta
			d.edited(r.Value())
		case "container":
			d.contain(r.Value())
		case "input_transformations": // what Anthropic has left out of the request, as thinking
			d.lost.AddMember("", r)
		}
	}
}

// maxDetails bounds stop_details.
const maxDetails = 16 << 10

// stopDetails buffers the details of a refusal ("Streaming refusals": category and explanation).
// Clients of this API get the details unchanged; clients of other APIs get the explanation as a
// refusal.
func (d *decoder) stopDetails(r *jsonr.Reader) {
	inside := *r
	whole := r.Value()
	if len(whole) > maxDetails {
		d.lost.Add("stop_details")
		return
	}
	d.details, d.explanation = jsonw.AppendFlat(d.details[:0], whole), d.explanation[:0]
	for inside.OpenObject(); inside.Member(); {
		switch key := inside.Key(); key {
		case "explanation":
			text, _ := jsonr.Text(inside.Value())
			d.explanation = append(d.explanation, text...)
		case "type":
		default:
			if v := inside.Value(); !d.own && !isEmpty(v) {
				d.lost.AddNamed("stop_details.", ir.Escaped(key))
			}
		}
	}
}

// edited stores the upstream's list of edits of the history, for clients of this API. Other clients
// can't ask for edits, and get no list.
func (d *decoder) edited(v ir.Raw) {
	switch {
	case jsonr.KindOf(v) != jsonr.Object:
	case !d.own && !strings.Contains(string(v), "_tokens"): // nothing was edited
	case !d.own, len(v) > maxDetails:
		d.lost.Add("context_management")
	default:
		d.out.SetEdits(ir.Raw(jsonw.AppendFlat(nil, v)))
	}
}

// other reads any other member of a message, for clients of this API.
func (d *decoder) other(r *jsonr.Reader) {
	d.out.Own(d.own, " role content stop_reason stop_sequence stop_details container context_management"+
		" input_transformations type error id model usage ", r, d.lost)
}

// refuse ends a refused answer with its stop_details.
func (d *decoder) refuse() {
	if len(d.explanation) > 0 && !d.own {
		d.out.Begin(ir.RefusalBlock, "")
		d.out.Text(jsonw.View(d.explanation))
		d.out.Stop()
	}
	d.out.Refuse(ir.Raw(jsonw.View(d.details)), d.usage)
}

// stopOf returns the hub's name of a stop_reason. An unknown one ends the turn (FAULTS 16).
func stopOf(reason ir.Escaped) ir.StopReason {
	switch reason {
	case "max_tokens":
		return ir.MaxTokens
	case "stop_sequence":
		return ir.StopSequence
	case "tool_use":
		return ir.ToolUse
	case "refusal":
		return ir.Refusal
	case "pause_turn":
		return ir.PauseTurn
	case "model_context_window_exceeded":
		return ir.ContextWindow
	case "compaction":
		return ir.Compacted
	}
	return ir.EndTurn
}

// reason returns the stop reason of the answer. If the upstream says end_turn or tool_use, the answer's
// blocks decide: LiteLLM (BerriAI/litellm#34692) and Bifrost (maximhq/bifrost#3638) send end_turn
// after calls, other servers tool_use without a call (FAULTS 10).
func (d *decoder) reason() ir.StopReason {
	switch {
	case d.stop != ir.EndTurn && d.stop != ir.ToolUse:
		return d.stop
	case d.called:
		return ir.ToolUse
	}
	return ir.EndTurn
}

// count reads a usage object, of message_start or message_delta. Later numbers replace earlier ones
// (FAULTS 91).
func (d *decoder) count(v ir.Raw) {
	if d.own {
		d.out.AddUsage(v, d.lost)
	}
	tier := ir.NoTier
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "input_tokens":
			tokens(&d.usage.Input, r.Value())
		case "cache_read_input_tokens":
			tokens(&d.usage.CacheRead, r.Value())
		case "cache_creation_input_tokens":
			tokens(&d.usage.CacheWrite, r.Value())
		case "service_tier":
			switch word, _ := jsonr.Text(r.Value()); {
			case tier == ir.FastTier:
			case word == "priority":
				tier = ir.PriorityTier
			default:
				tier = ir.TierOf(word)
			}
		case "speed":
			if speed, _ := jsonr.Text(r.Value()); speed == "fast" {
				tier = ir.FastTier
			}
		case "inference_geo", "fallback_credit":
			if !d.own {
				d.lost.AddMember("usage", &r)
			}
		case "server_tool_use":
			if !d.own {
				d.lost.AddCounts("usage", &r)
			}
		case "output_tokens":
			tokens(&d.usage.Output, r.Value())
		case "output_tokens_details":
			for r.OpenObject(); r.Member(); {
				if r.Key() == "thinking_tokens" {
					tokens(&d.usage.Reasoning, r.Value())
				}
			}
		}
	}
	d.out.SetTier(tier)
}

// tokens sets *n to the number v, unless v is no number of tokens.
func tokens(n *int64, v ir.Raw) {
	if count, ok := jsonr.Int(v); ok && count >= 0 {
		*n = count
	}
}
