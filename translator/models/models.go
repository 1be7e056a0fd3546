// Package models reads an upstream's list of models and single entries of the list, and writes
// their times. An API's ir.Models says how the API writes a list.
package models

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/target"
)

// DecodeList reads the body of an upstream's answer, a list of models in the given form. It also
// accepts the bare array of Together, and null for the list, which Ollama without models sends. If
// body is not a list, ok is false. The models are views of body.
func DecodeList(form *ir.Models, body string) (list []ir.Model, ok bool) {
	if jsonr.Check(body) != nil {
		return nil, false
	}
	r := jsonr.NewReader(body)
	if r.Kind() == jsonr.Array {
		return readList(form, &r), true
	}
	for r.OpenObject(); r.Member(); {
		if r.Key() == form.Entries {
			ok = r.Kind() == jsonr.Array || r.Kind() == jsonr.Null
			list = readList(form, &r)
		}
	}
	return list, ok
}

func readList(form *ir.Models, r *jsonr.Reader) []ir.Model {
	list := make([]ir.Model, 0, r.Len())
	for r.OpenArray(); r.Element(); {
		if m, ok := form.Read(r); ok {
			list = append(list, m)
		}
	}
	return list
}

// Decode reads one entry of a list, the answer of APIs for a single model. If body is not an entry,
// ok is false. The model is a view of body.
func Decode(form *ir.Models, body string) (m ir.Model, ok bool) {
	if jsonr.Check(body) != nil {
		return m, false
	}
	r := jsonr.NewReader(body)
	return form.Read(&r)
}

// Read reads an entry in the form of Anthropic or OpenAI. If the entry has no id, ok is false;
// other members are optional. Read is an ir.Models.Read.
func Read(r *jsonr.Reader) (m ir.Model, ok bool) {
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "id":
			m.ID, ok = jsonr.Text(r.Value())
		case "display_name", "name": // OpenRouter sends "name"
			m.Name, _ = jsonr.Text(r.Value())
		case "created":
			m.Created, _ = jsonr.Int(r.Value())
		case "created_at":
			text, _ := jsonr.Text(r.Value())
			m.Created = seconds(string(text))
		case "owned_by":
			m.Owner, _ = jsonr.Text(r.Value())
		// Anthropic; OpenRouter, Together; Groq; vLLM; LM Studio and Mistral
		case "max_input_tokens", "context_length", "context_window", "max_model_len", "max_context_length":
			m.Input = limit(r.Value())
		case "max_tokens", "max_completion_tokens": // Anthropic; Groq
			m.Output = limit(r.Value())
		case "top_provider": // OpenRouter
			inner := jsonr.NewReader(string(r.Value()))
			for inner.OpenObject(); inner.Member(); {
				if inner.Key() == "max_completion_tokens" {
					m.Output = limit(inner.Value())
				}
			}
		}
	}
	return m, ok && m.ID != ""
}

// limit reads a positive number of tokens. It returns 0 for any other value.
func limit(v jsonw.Raw) int64 {
	n, _ := jsonr.Int(v)
	return max(0, n)
}

// Complete adds what is known of a model to its entry in a list. name is the upstream's name of the
// model, and t has its facts.
func Complete(m *ir.Model, name string, t *ir.Target) {
	if m.Input == 0 {
		m.Input = target.Window(name)
	}
	if m.Output == 0 {
		m.Output = t.MaxOutputTokens
	}
	if m.Input > 0 || m.Output > 0 {
		m.Target = t
	}
}
