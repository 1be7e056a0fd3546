package gemini

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/schema"
)

// requestWriter writes one body of generateContent (Gemini API, "Generating content"). It only
// appends to Dst.
type requestWriter struct{ google.Writer }

// syntax is the syntax of generateContent. A function's schema is JSON Schema (parametersJsonSchema):
// parameters is a message of Google's own, which rejects unknown keywords ("Unknown name
// \"$schema\"", "\"additionalProperties\"", "\"const\"", zed-industries/zed#63342).
var syntax = google.Syntax{
	PromptStart: `"systemInstruction":{"parts":[{"text":"`, PromptNext: `"},{"text":"`, PromptEnd: `"}]},`,
	Turns: `"contents":[`,
	User:  `{"role":"user","parts":[`,
	Model: `{"role":"model","parts":[`,
	Text:  `{"text":"`,

	Functions: `,"tools":[{"functionDeclarations":[`, FunctionsEnd: `]}`,
	Function: `{"name":`, Parameters: `"parametersJsonSchema":`,
	Search: `{"googleSearch":{}}`, Fetch: `{"urlContext":{}}`,
	Dialect: schema.Gemini,

	Config:    `,"generationConfig":{`,
	MaxTokens: `"maxOutputTokens":`, TopP: `"topP":`, TopK: `"topK":`, Stop: `"stopSequences":`,
}

func (w *requestWriter) write() (err *ir.Error) {
	if w.Results, err = ir.MatchResults(w.Request, w.Target, w.Lost); err != nil {
		return err
	}
	if _, err = w.Prefill(); err != nil { // written with the history
		return err
	}
	w.Raw(`{`)
	if err = w.Messages(); err != nil {
		return err
	}
	if err = w.tools(); err != nil {
		return err
	}
	w.Limits()
	w.penalties()
	if err = w.logprobs(); err != nil {
		return err
	}
	w.thinking()
	if err = w.format(); err != nil {
		return err
	}
	w.own(true)
	w.EndConfig()
	w.records()
	w.own(false)
	w.Raw(`}`)
	return nil
}

// configLead precedes the names of members of generationConfig in paths.
const configLead = "generationConfig."

// own writes members that only this API has, from a client of this API. If config is true it writes
// the members of generationConfig, otherwise the others. Vertex AI has no store ("store parameter is
// only supported in Gemini Developer API mode", @google/genai 3.1.0, generateContentConfigToVertex).
func (w *requestWriter) own(config bool) {
	if !w.SameAPI {
		return
	}
	for _, m := range w.Request.Own {
		key, inside := strings.CutPrefix(m.Key, configLead)
		switch {
		case inside != config:
			continue
		case key == "store" && w.Target.VertexAI:
			w.Lost.Add(key)
			continue
		case config:
			w.Set(`"` + key + `":`)
		default:
			w.Raw(`,"` + key + `":`)
		}
		w.Raw(string(m.Value))
	}
}

// penalties writes the penalties, if the model accepts penalties.
func (w *requestWriter) penalties() {
	if w.Target.NoPenalties {
		w.LosePenalties()
		return
	}
	w.Number(`"presencePenalty":`, w.Request.Presence)
	w.Number(`"frequencyPenalty":`, w.Request.Frequency)
}

// logprobs asks for the log probabilities of tokens, if the model has them.
func (w *requestWriter) logprobs() *ir.Error {
	r := w.Request
	switch {
	case r.Logprobs == "" || w.Target.NoLogprobs:
		w.LoseLogprobs()
		return nil
	case r.TopLogprobs != "" && r.TopLogprobs != "0":
		w.Set(`"logprobs":`)
		w.Raw(string(r.TopLogprobs))
	}
	w.Set(`"responseLogprobs":true`)
	return r.CheckLogprobs()
}

// format writes the format of the answer. The schema is JSON Schema, and the API ignores unknown
// keywords (Gemini API, "GenerationConfig", responseJsonSchema).
func (w *requestWriter) format() *ir.Error {
	f := &w.Request.Format
	if ok, err := w.Formats(); !ok {
		return err
	}
	if f.Choice { // only a client of this API has such a format: see stages.RequestFormat
		w.Set(`"responseMimeType":"text/x.enum"`)
	} else {
		w.Set(`"responseMimeType":"application/json"`)
	}
	if f.Schema == "" {
		return nil
	}
	w.Set(`"responseJsonSchema":`)
	schema.WriteFormat(&w.Writer.Writer, schema.Gemini)
	if f.Description != "" {
		w.Lose(ir.FieldFormatDescription)
	}
	return nil
}

// records writes serviceTier and notes other records as lost. Vertex AI has the tier in headers
// (googleapis/python-genai#2433).
func (w *requestWriter) records() {
	key := `,"serviceTier":`
	if w.Target.VertexAI {
		key = ""
	}
	w.Records(key)
}
