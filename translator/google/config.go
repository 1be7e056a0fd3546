package google

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Set begins a member of the object with the parameters of the answer: generationConfig, or
// generation_config. key may include the value.
func (w *Writer) Set(key string) {
	if w.config {
		w.Raw(`,`)
	} else {
		w.Raw(w.Syntax.Config)
	}
	w.config = true
	w.Raw(key)
}

// Number writes a member of the object with the parameters, unless value is "".
func (w *Writer) Number(key string, value ir.Raw) {
	if value != "" {
		w.Set(key)
		w.Raw(string(value))
	}
}

// EndConfig ends the object, if it has a member.
func (w *Writer) EndConfig() {
	if w.config {
		w.Raw(`}`)
	}
}

// Limits writes the maximum length of the answer, the sampling parameters, and the stop sequences.
// If the client has more stop sequences than the API accepts, none is sent: package translator
// watches the answer for the sequences and truncates it.
func (w *Writer) Limits() {
	r := w.Request
	if n := r.MaxTokens; n > 0 {
		if most := w.Target.MaxOutputTokens; most > 0 {
			n = min(n, most)
		}
		w.Set(w.Syntax.MaxTokens)
		w.Dst = strconv.AppendInt(w.Dst, n, 10)
	}
	w.sample(`"temperature":`, r.Temperature, ir.FieldTemperature)
	w.sample(w.Syntax.TopP, r.TopP, ir.FieldTopP)
	w.sample(w.Syntax.TopK, r.TopK, ir.FieldTopK)
	if fitsSeed(r.Seed) {
		w.Number(`"seed":`, r.Seed)
	} else {
		w.LoseSeed()
	}
	if len(r.Stop) == 0 || !w.Target.AcceptsStops(len(r.Stop)) {
		return
	}
	separator := `[`
	for _, s := range r.Stop {
		if s == "" {
			continue // matches nothing, and Google rejects an empty one
		}
		if separator == `[` {
			w.Set(w.Syntax.Stop)
		}
		w.Next(&separator)
		w.Literal(s)
	}
	if separator != `[` {
		w.Raw(`]`)
	}
}

// sample writes a sampling parameter. key is "" if the API has no such parameter. A parameter that
// the API or the model lacks is lost, except a temperature or top_p of 1, the default.
func (w *Writer) sample(key string, value ir.Raw, f ir.Field) {
	switch {
	case value == "":
	case key != "" && !w.Target.NoSampling && (f != ir.FieldTopK || !w.Request.TopKIsNegative()):
		w.Number(key, value)
	case f == ir.FieldTopK || value != "1" && value != "1.0":
		w.Lose(f)
	}
}

// fitsSeed reports whether the API accepts a seed, an int32 ("GenerationConfig").
func fitsSeed(seed ir.Raw) bool {
	n, ok := jsonr.Int(seed)
	return !ok || n == int64(int32(n))
}

// Formats reports whether the body has a format for the answer. Models before Gemini 3 reject a
// format beside tools ("Function calling with a response mime type: 'application/json' is
// unsupported"). A format that the model rejects is lost or refused.
func (w *Writer) Formats() (bool, *ir.Error) {
	f := &w.Request.Format
	switch {
	case f.Schema == "" && !f.Object:
		return false, nil
	case w.Target.NoFormat:
		return false, w.RefuseOrLose(w.Request.FieldPath(ir.FieldFormat), "a response format for this model")
	case w.Target.UnsignedCalls && (w.Functions || w.Hosted):
		return false, w.RefuseOrLose(w.Request.FieldPath(ir.FieldFormat),
			"a response format together with tools for this model")
	}
	return true, nil
}

// Records writes the service tier. The user, the metadata and the verbosity are lost: neither API
// has them. key is the beginning of the tier's member, "" if the server has no such member. The
// client's default tier is the API's own. Google's "priority" is what OpenAI calls Fast mode
// (ai.google.dev/gemini-api/docs, "Priority inference").
func (w *Writer) Records(key string) {
	r := w.Request
	switch tier, field := r.Tier(); {
	case tier == "", tier == "auto", tier == "default", tier == "standard", tier == "standard_only":
	case (tier == "flex" || tier == "priority") && key != "":
		w.Member(key, tier)
	default:
		w.Lose(field)
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

// ShowsThoughts reports whether the answer should include the model's thoughts. Models think by
// default, but show thoughts only on request. A client that sends any reasoning parameter gets
// thoughts.
func (w *Writer) ShowsThoughts() bool {
	r, t := w.Request, w.Target
	parameters := r.Adaptive || r.Budget > 0 || r.Effort != "" || r.ReasoningSummary != ""
	return t.Thinking != ir.NoThinking && r.Effort != "none" &&
		(parameters && !r.HideThoughts || t.ShowThoughts)
}

// Effort returns the model's effort nearest to the client's, "" for none, and whether both are the
// same. A model that must think gets its lowest effort for "none".
func (w *Writer) Effort() (effort string, same bool) {
	effort, same = ir.NearestEffort(w.Request.Effort, w.Target.Efforts)
	if w.Request.Effort == "none" && effort == "" && len(w.Target.Efforts) > 0 {
		effort = w.Target.Efforts[0]
	}
	return effort, same
}

// LoseEffort notes that the upstream does not get the client's effort.
func (w *Writer) LoseEffort() {
	if path := w.Request.FieldPath(ir.FieldEffort); path != "" {
		w.Lost.Add(path)
	}
}
