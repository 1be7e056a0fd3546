package gemini

import (
	"strconv"
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
	config    string        // what stands in front of the next member of generationConfig
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
	w.limits()
	w.logprobs()
	w.thinking()
	if err = w.format(); err != nil {
		return err
	}
	w.own(`"`, true)
	if w.config == `,` {
		w.Raw(`}`)
	}
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
			w.Next(&w.config)
		}
		w.Raw(before + key + `":`)
		w.Raw(string(m.Value))
	}
}

// set begins a member of generationConfig.
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
		w.set(`"maxOutputTokens":`)
		w.Dst = strconv.AppendInt(w.Dst, n, 10)
	}
	w.sample(`"temperature":`, r.Temperature, ir.FieldTemperature)
	w.sample(`"topP":`, r.TopP, ir.FieldTopP)
	w.sample(`"topK":`, r.TopK, ir.FieldTopK)
	if w.Target.NoPenalties {
		w.LosePenalties()
	} else {
		w.number(`"presencePenalty":`, r.Presence)
		w.number(`"frequencyPenalty":`, r.Frequency)
	}
	if google.FitsSeed(r.Seed) {
		w.number(`"seed":`, r.Seed)
	} else {
		w.LoseSeed()
	}
	if len(r.Stop) == 0 || !w.Target.TakesStops(len(r.Stop)) {
		return
	}
	w.set(`"stopSequences":`)
	separator := `[`
	for _, s := range r.Stop {
		w.Next(&separator)
		w.Literal(s)
	}
	w.Raw(`]`)
}

// sample writes a parameter of sampling, unless the model takes none. A temperature or topP of 1 is then no loss.
func (w *requestWriter) sample(key string, value ir.Raw, f ir.Field) {
	switch {
	case value == "":
	case !w.Target.NoSampling:
		w.number(key, value)
	case f == ir.FieldTopK || value != "1" && value != "1.0":
		w.Lose(f)
	}
}

// number writes a member of generationConfig, unless the client has not sent it.
func (w *requestWriter) number(key string, value ir.Raw) {
	if value != "" {
		w.set(key)
		w.Raw(string(value))
	}
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
