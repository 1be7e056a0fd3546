package interactions

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/schema"
)

// requestWriter writes one body of an interaction with a model (CreateModelInteraction of
// @google/genai 3.1.0). It only appends to Dst.
type requestWriter struct {
	google.Writer
	ids    ir.CallIDs
	signed bool         // the model's turn has a thought
	texts  []ir.Escaped // of the result being written
}

// syntax is the syntax of an interaction (Step, Function and GenerationConfig of @google/genai, which
// has no top_k here).
var syntax = google.Syntax{
	PromptStart: `,"system_instruction":"`, PromptNext: `\n\n`, PromptEnd: `"`,
	Turns: `,"input":[`,
	User:  `{"type":"user_input","content":[`,
	Model: `{"type":"model_output","content":[`,
	Text:  `{"type":"text","text":"`,

	Functions: `,"tools":[`,
	Function:  `{"type":"function","name":`, Parameters: `"parameters":`,
	Search: `{"type":"google_search"}`, Fetch: `{"type":"url_context"}`,
	Dialect: schema.Interactions,

	Config:    `,"generation_config":{`,
	MaxTokens: `"max_output_tokens":`, TopP: `"top_p":`, Stop: `"stop_sequences":`,
}

func (w *requestWriter) write() (err *ir.Error) {
	if err = w.Begin(); err != nil {
		return err
	}
	if _, err = w.Prefill(); err != nil { // written with the history
		return err
	}
	w.Raw(`,"store":false`)
	if w.Request.Stream {
		w.Raw(`,"stream":true`)
	}
	if err = w.Messages(); err != nil {
		return err
	}
	if err = w.tools(); err != nil {
		return err
	}
	w.Limits()
	w.LosePenalties()
	w.LoseLogprobs()
	w.thinking()
	w.EndConfig()
	if err = w.format(); err != nil {
		return err
	}
	if w.SameAPI {
		for _, m := range w.Request.Own {
			w.Raw(`,"` + m.Key + `":` + string(m.Value))
		}
	}
	w.Records(`,"service_tier":`) // labels can't hold metadata: their keys and values have fixed forms
	w.Raw(`}`)
	return nil
}

// thinking writes thinking_level, one of the words of ir.Target.Efforts, and thinking_summaries.
func (w *requestWriter) thinking() {
	r := w.Request
	effort, same := w.Effort()
	if effort != "" {
		w.Set(`"thinking_level":"` + effort + `"`)
	}
	shows := w.ShowsThoughts()
	if shows {
		w.Set(`"thinking_summaries":"auto"`)
	}
	switch {
	case r.Effort == "" && r.Budget == 0, effort != "" && same:
	case r.Effort == "none" && w.Target.Thinking == ir.NoThinking:
	default:
		w.LoseEffort()
	}
	// The API has no length of summaries.
	if r.ReasoningSummary != "" && (r.ReasoningSummary != "auto" || !shows) {
		w.Lose(ir.FieldReasoningSummary)
	}
}

// format writes the format of the answer (TextResponseFormat of @google/genai). The API ignores
// unknown keywords of the schema.
func (w *requestWriter) format() *ir.Error {
	f := &w.Request.Format
	if ok, err := w.Formats(); !ok {
		return err
	}
	w.Raw(`,"response_format":{"type":"text","mime_type":"application/json"`)
	if f.Schema != "" {
		w.Raw(`,"schema":`)
		schema.WriteFormat(&w.Writer.Writer, schema.Interactions)
	}
	w.Raw(`}`)
	if f.Schema != "" && f.Description != "" {
		w.Lose(ir.FieldFormatDescription)
	}
	return nil
}

// unsignedThought is a step before calls without a Google thought: another vendor's model made the
// calls, or a client lost the thought. Gemini 3 rejects such calls ("Replayed model turns that
// contain function_call but no cryptographic thought signature cause 400"), but accepts them after
// this step (earendil-works/pi#2172). The signature is the one that generateContent accepts for
// calls without their own.
const unsignedThought = `{"type":"thought","signature":"` + google.Unsigned + `"}`
