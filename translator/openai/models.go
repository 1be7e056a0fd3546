package openai

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/models"
)

// Models is the form in which both of OpenAI's APIs list models (API reference, "List models",
// "Retrieve model"). Lists are not paged. Codex asks for a catalogue with its own form, by the query
// client_version. A catalogue of an upstream passes, but none is written: an entry must have
// instructions, and these replace Codex's own prompt (Codex 0.169). Without a catalogue Codex keeps
// its prompt, and its setting model_context_window has the window.
var Models = ir.Models{Path: "/models", Entries: "data", Read: models.Read, Append: appendModel,
	AppendList: appendModels}

func appendModels(dst []byte, list []ir.Model) []byte {
	dst = append(dst, `{"object":"list","data":[`...)
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendModel(dst, &list[i])
	}
	return append(dst, "]}"...)
}

func appendModel(dst []byte, m *ir.Model) []byte {
	dst = append(dst, `{"id":`...)
	dst = jsonw.AppendEscaped(dst, m.ID)
	dst = append(dst, `,"object":"model","created":`...)
	dst = strconv.AppendInt(dst, m.Created, 10)
	dst = append(dst, `,"owned_by":`...)
	dst = jsonw.AppendEscaped(dst, m.Owner)
	// OpenAI's own list has no limits. The names are OpenRouter's and Groq's.
	if m.Input > 0 {
		dst = strconv.AppendInt(append(dst, `,"context_length":`...), m.Input, 10)
	}
	if m.Output > 0 {
		dst = strconv.AppendInt(append(dst, `,"max_completion_tokens":`...), m.Output, 10)
	}
	return append(dst, '}')
}
