package interactions

import (
	"strconv"

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
	config    string             // what stands in front of the next member of generation_config
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
	w.limits()
	w.LoseLogprobs()
	w.thinking()
	if w.config == `,` {
		w.Raw(`}`)
	}
	if err = w.format(); err != nil {
		return err
	}
	w.records()
	w.Raw(`}`)
	return nil
}

// set begins a member of generation_config.
func (w *requestWriter) set(key string) {
	w.Next(&w.config)
	w.Raw(key)
}

// limits writes how long the answer may be, the parameters of sampling, and the stop sequences. Of more sequences than the API takes it is told
// none: package translator then watches the answer for them and cuts it.
func (w *requestWriter) limits() {
	r := w.Request
	if n := r.MaxTokens; n > 0 {
		if most := w.Target.MaxOutputTokens; most > 0 {
			n = min(n, most)
		}
		w.set(`"max_output_tokens":`)
		w.Dst = strconv.AppendInt(w.Dst, n, 10)
	}
	w.sample(`"temperature":`, r.Temperature, ir.FieldTemperature)
	w.sample(`"top_p":`, r.TopP, ir.FieldTopP)
	if r.TopK != "" { // GenerationConfig of @google/genai has none
		w.Lose(ir.FieldTopK)
	}
	w.LosePenalties()
	if google.FitsSeed(r.Seed) {
		w.number(`"seed":`, r.Seed)
	} else {
		w.LoseSeed()
	}
	if len(r.Stop) == 0 || !w.Target.TakesStops(len(r.Stop)) {
		return
	}
	w.set(`"stop_sequences":`)
	separator := `[`
	for _, s := range r.Stop {
		w.Next(&separator)
		w.Literal(s)
	}
	w.Raw(`]`)
}

// sample writes a parameter of sampling, unless the model takes none. A value of 1 is then no loss.
func (w *requestWriter) sample(key string, value ir.Raw, f ir.Field) {
	switch {
	case value == "":
	case !w.Target.NoSampling:
		w.number(key, value)
	case value != "1" && value != "1.0":
		w.Lose(f)
	}
}

// number writes a member of generation_config, unless the client has not sent it.
func (w *requestWriter) number(key string, value ir.Raw) {
	if value != "" {
		w.set(key)
		w.Raw(string(value))
	}
}

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
