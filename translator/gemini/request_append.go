package gemini

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/schema"
)

// requestWriter writes one body of generateContent (Gemini API, "Generating content"). What Dst holds is only appended to.
type requestWriter struct {
	ir.Writer
	schemas   schema.Room
	turn      turn          // of the open content, 0 before the first one
	shown     []*ir.Content // results whose images and files the user's turn behind them is to show
	functions bool          // a function has been written
	runs      bool          // a tool that the upstream runs has been written
	config    google.Config
}

func (w *requestWriter) write() (err *ir.Error) {
	if w.Results, err = ir.MatchResults(w.Request, w.Target, w.Lost); err != nil {
		return err
	}
	if _, err = w.Prefill(); err != nil { // written with the history
		return err
	}
	w.Raw(`{`)
	if err = w.messages(); err != nil {
		return err
	}
	if err = w.tools(); err != nil {
		return err
	}
	w.config.Limits(&w.Writer, &limitKeys)
	w.penalties()
	w.logprobs()
	w.thinking()
	if err = w.format(); err != nil {
		return err
	}
	w.own(`"`, true)
	w.config.End(&w.Writer)
	w.records()
	w.own(`,"`, false)
	w.Raw(`}`)
	return nil
}

// configLead stands in front of the names of members of generationConfig in paths.
const configLead = "generationConfig."

// own writes the members that no other API has, of a client of this API: those of generationConfig, or the others.
func (w *requestWriter) own(before string, config bool) {
	if w.Request.API.Name != Name {
		return
	}
	for _, m := range w.Request.Own {
		key, inside := strings.CutPrefix(m.Key, configLead)
		if inside != config {
			continue
		}
		if config {
			w.Next(&w.config.Lead)
		}
		w.Raw(before + key + `":`)
		w.Raw(string(m.Value))
	}
}

// limitKeys are the keys of generationConfig that the Interactions API spells differently.
var limitKeys = google.LimitKeys{MaxTokens: `"maxOutputTokens":`, TopP: `"topP":`, TopK: `"topK":`, Stop: `"stopSequences":`}

// set begins a member of generationConfig.
func (w *requestWriter) set(key string) { w.config.Set(&w.Writer, key) }

// penalties writes the penalties, which some models take.
func (w *requestWriter) penalties() {
	if w.Target.NoPenalties {
		w.LosePenalties()
		return
	}
	w.config.Number(&w.Writer, `"presencePenalty":`, w.Request.Presence)
	w.config.Number(&w.Writer, `"frequencyPenalty":`, w.Request.Frequency)
}

// logprobs asks how likely the tokens of the answer are.
func (w *requestWriter) logprobs() {
	r := w.Request
	switch {
	case r.Logprobs == "" || w.Target.NoLogprobs:
		w.LoseLogprobs()
		return
	case r.TopLogprobs != "" && r.TopLogprobs != "0":
		w.set(`"logprobs":`)
		w.Raw(string(r.TopLogprobs))
	}
	w.set(`"responseLogprobs":true`)
}

// format writes what the answer's text must look like. Models before Gemini 3 refuse that beside tools ("Function calling with a response mime
// type: 'application/json' is unsupported"). The schema is JSON Schema: what the API does not know of it, it passes over (Gemini API,
// "GenerationConfig", responseJsonSchema).
func (w *requestWriter) format() *ir.Error {
	f := &w.Request.Format
	switch {
	case f.Schema == "" && !f.Object:
		return nil
	case w.Target.NoFormat, w.Target.UnsignedCalls && (w.functions || w.runs):
		return w.RefuseOrLose(w.Request.FieldPath(ir.FieldFormat), "a format for its answer here")
	}
	w.set(`"responseMimeType":"application/json"`)
	if f.Schema == "" {
		return nil
	}
	w.set(`"responseJsonSchema":`)
	schema.WriteFormat(&w.Writer, schema.Gemini)
	if f.Description != "" {
		w.Lose(ir.FieldFormatDescription)
	}
	return nil
}

// records writes serviceTier, which the Gemini API has in the body, and Vertex AI in headers (googleapis/python-genai#2433). The client's
// default is the API's own. What no API of Google's has is lost: who the user is, what is kept with the answer, and how wordy it is.
func (w *requestWriter) records() {
	r := w.Request
	switch tier := r.ServiceTier; {
	case tier == "", tier == "auto", tier == "default", tier == "standard", tier == "standard_only":
	case (tier == "flex" || tier == "priority") && !w.Target.VertexAI:
		w.Member(`,"serviceTier":`, tier)
	default:
		w.Lose(ir.FieldServiceTier)
	}
	if r.UserID != "" {
		w.Lose(ir.FieldUserID)
	}
	if r.Metadata != "" && jsonr.Asks(r.Metadata) {
		w.Lose(ir.FieldMetadata)
	}
	if r.Verbosity != "" && r.Verbosity != "medium" {
		w.Lose(ir.FieldVerbosity)
	}
}
