package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// message reads a delta or a whole message. Several parts are read in the order in which a model
// writes them: reasoning, text, refusal, calls.
func (d *decoder) message(r *jsonr.Reader, whole bool) {
	var content, reasoning, reasoningContent, refusal, legacy, annotations ir.Raw
	var details, calls jsonr.Reader
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "content":
			content = r.Value()
		case "reasoning_content":
			reasoningContent = r.Value()
		case "reasoning":
			reasoning = r.Value()
		case "reasoning_details":
			details = r.Here()
		case "refusal":
			refusal = r.Value()
		case "tool_calls":
			calls = r.Here()
		case "function_call":
			legacy = r.Value()
		case "annotations":
			annotations = r.Value()
		case "audio":
			d.lose(lostAudio, r.Value())
		case "images":
			d.lose(lostImages, r.Value())
		case "extra_content":
			d.lose(lostMessageExtra, r.Value())
		}
	}
	text, _ := jsonr.Text(reasoningContent)
	if text == "" {
		// DeepSeek's name is reasoning_content; OpenRouter, Groq and newer vLLM say reasoning
		// (vllm#27755). No server is known to send both; the second text would be the same.
		text, _ = jsonr.Text(reasoning)
	}
	d.reasoned = d.reasoned || text != ""
	d.thought(text)
	if details.Kind() == jsonr.Array {
		d.details(&details, whole)
	}
	if jsonr.KindOf(content) == jsonr.Array {
		d.parts(content)
	} else if text, _ := jsonr.Text(content); text != "" {
		d.content(text)
	}
	if !jsonr.IsNothing(annotations) {
		d.citations(annotations)
	}
	if text, _ := jsonr.Text(refusal); text != "" {
		d.flushHeld()
		d.add(ir.RefusalBlock, text)
	}
	d.calls(&calls, legacy, whole)
}

// parts reads a content that is an array of parts, as Mistral's reasoning models send (recorded in
// mistral-reasoning): {"type": "text"}, and {"type": "thinking"} with an array of texts.
//
//go:noinline
func (d *decoder) parts(v ir.Raw) {
	list := jsonr.NewReader(string(v))
	for list.OpenArray(); list.Element(); {
		for list.OpenObject(); list.Member(); {
			switch list.Key() {
			case "type":
				if kind := list.Value(); kind != `"text"` && kind != `"thinking"` {
					d.lose(lostPart, kind)
				}
			case "text":
				if text, _ := jsonr.Text(list.Value()); text != "" {
					d.content(text)
				}
			case "thinking":
				for list.OpenArray(); list.Element(); {
					for list.OpenObject(); list.Member(); {
						if list.Key() == "text" {
							text, _ := jsonr.Text(list.Value())
							d.thought(text)
						}
					}
				}
			}
		}
	}
}
