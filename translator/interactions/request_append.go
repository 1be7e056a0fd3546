package interactions

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/schema"
)

// requestWriter writes one body of an interaction with a model (CreateModelInteraction of @google/genai 3.1.0). What Dst holds is only appended to.
type requestWriter struct {
	ir.Writer
	schemas   schema.Room
	turn      turn               // whose the last step is, 0 before the first one
	open      bool               // that step has a list of content, which takes more
	shown     []*ir.Content      // results whose images and files the user's step behind them is to show
	ids       map[ir.Escaped]int // of the calls that have been written, and the last number that stands behind each
	functions bool               // a function has been written
	runs      bool               // a tool that the upstream runs has been written
	config    google.Config
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
	if err = w.messages(); err != nil {
		return err
	}
	if err = w.tools(); err != nil {
		return err
	}
	w.config.Limits(&w.Writer, &limitKeys)
	w.LosePenalties()
	w.LoseLogprobs()
	w.thinking()
	w.config.End(&w.Writer)
	if err = w.format(); err != nil {
		return err
	}
	w.records()
	w.Raw(`}`)
	return nil
}

// limitKeys are the keys of generation_config that generateContent spells differently. GenerationConfig of @google/genai has no top_k here.
var limitKeys = google.LimitKeys{MaxTokens: `"max_output_tokens":`, TopP: `"top_p":`, Stop: `"stop_sequences":`}

// set begins a member of generation_config.
func (w *requestWriter) set(key string) { w.config.Set(&w.Writer, key) }

// thinking writes thinking_level, one of the words of ir.Target.Efforts, and thinking_summaries. Models think unasked, but show a summary only where that
// is "auto": a client that asks for any thinking wants to see it.
func (w *requestWriter) thinking() {
	r, t := w.Request, w.Target
	asked := r.Adaptive || r.Budget > 0 || r.Effort != "" || r.Summary != ""
	none := r.Effort == "none"
	shows := t.Thinking != ir.NoThinking && !none && (asked && !r.HideThoughts || t.ShowThoughts)
	effort, same := ir.NearestEffort(r.Effort, t.Efforts)
	if none && effort == "" && len(t.Efforts) > 0 {
		effort = t.Efforts[0]
	}
	if effort != "" {
		w.set(`"thinking_level":"` + effort + `"`)
	}
	if shows {
		w.set(`"thinking_summaries":"auto"`)
	}
	told := r.Effort == "" && r.Budget == 0 || effort != "" && same || none && t.Thinking == ir.NoThinking
	if path := r.FieldPath(ir.FieldEffort); !told && path != "" {
		w.Lost.Add(path)
	}
	if r.Summary != "" && (r.Summary != "auto" || !shows) { // how long it is can't be asked for
		w.Lose(ir.FieldSummary)
	}
}

// format writes what the answer's text must look like (TextResponseFormat of @google/genai). Models before Gemini 3 refuse that beside tools, as in
// generateContent. What the API does not know of the schema, it passes over.
func (w *requestWriter) format() *ir.Error {
	f := &w.Request.Format
	switch {
	case f.Schema == "" && !f.Object:
		return nil
	case w.Target.NoFormat, w.Target.UnsignedCalls && (w.functions || w.runs):
		return w.RefuseOrLose(w.Request.FieldPath(ir.FieldFormat), "a format for its answer here")
	}
	w.Raw(`,"response_format":{"type":"text","mime_type":"application/json"`)
	if f.Schema != "" {
		w.Raw(`,"schema":`)
		schema.WriteFormat(&w.Writer, schema.Interactions)
	}
	w.Raw(`}`)
	if f.Schema != "" && f.Description != "" {
		w.Lose(ir.FieldFormatDescription)
	}
	return nil
}

// records writes service_tier. The client's default is the API's own. Who the user is, and how wordy the answer is to be, the API has no members for;
// its labels are no metadata, whose keys and values may be of any form.
func (w *requestWriter) records() {
	r := w.Request
	switch tier := r.ServiceTier; {
	case tier == "", tier == "auto", tier == "default", tier == "standard", tier == "standard_only":
	case tier == "flex", tier == "priority":
		w.Member(`,"service_tier":`, tier)
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

// unsignedThought is a step in front of calls that have no thought of Google's before them: another vendor's model has made them, or a client has lost
// the thought. Gemini 3 refuses such calls ("Replayed model turns that contain function_call but no cryptographic thought signature cause 400", and
// takes them behind this step: earendil-works/pi#2172). Its signature is the one that generateContent takes for that.
const unsignedThought = `{"type":"thought","signature":"` + google.Unsigned + `"}`
