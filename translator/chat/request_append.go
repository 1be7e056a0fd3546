package chat

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// requestWriter writes one body of POST /v1/chat/completions (API reference, "Create chat completion").
type requestWriter struct {
	ir.Writer
	shown   []*ir.Content // results with images or files that are still to be shown to the model
	begun   bool          // a message has been written
	offered bool          // a tool has been written
}

func (w *requestWriter) write() *ir.Error {
	if err := w.Begin(); err != nil {
		return err
	}
	w.Raw(`,"messages":[`)
	if err := w.messages(); err != nil {
		return err
	}
	if !w.begun {
		return w.Request.Empty()
	}
	w.Raw(`]`)
	if err := w.tools(); err != nil {
		return err
	}
	w.limit()
	w.sampling()
	w.stops()
	w.vendor()
	w.effort()
	if err := w.format(); err != nil {
		return err
	}
	if w.Request.Stream {
		w.Raw(`,"stream":true`)
		if w.Request.StreamUsage && !w.Target.OmitStreamUsage {
			w.Raw(`,"stream_options":{"include_usage":true}`)
		}
	}
	w.Raw(`}`)
	return nil
}

// limit writes how long the answer may be.
func (w *requestWriter) limit() {
	r, t := w.Request, w.Target
	if n := r.MaxTokens; n > 0 {
		if t.MaxOutputTokens > 0 {
			n = min(n, t.MaxOutputTokens)
		}
		if t.MaxCompletionTokens {
			w.Raw(`,"max_completion_tokens":`)
		} else {
			w.Raw(`,"max_tokens":`)
		}
		w.Dst = strconv.AppendInt(w.Dst, n, 10)
	}
}

// sampling writes the sampling parameters. Where the upstream refuses them only what is not their default is missed.
func (w *requestWriter) sampling() {
	r := w.Request
	w.sample(`,"temperature":`, r.Temperature, ir.FieldTemperature)
	w.sample(`,"top_p":`, r.TopP, ir.FieldTopP)
	if r.TopK != "" {
		w.Lose(ir.FieldTopK)
	}
}

func (w *requestWriter) sample(key string, value ir.Raw, field ir.Field) {
	switch {
	case value == "":
	case !w.Target.NoSampling:
		w.Raw(key)
		w.Raw(string(value))
	case value != "1" && value != "1.0":
		w.Lose(field)
	}
}

// stops writes the stop sequences. An upstream that refuses them, or so many, is not told: whoever hands the answer on cuts it.
func (w *requestWriter) stops() {
	if len(w.Request.Stop) == 0 || !w.Target.TakesStops(len(w.Request.Stop)) {
		return
	}
	separator := `,"stop":[`
	for _, s := range w.Request.Stop {
		w.Next(&separator)
		w.Literal(s)
	}
	w.Raw(`]`)
}

// effort writes reasoning_effort, where the upstream takes one. A value that means another than the client's is reported. One that
// refuses tools beside any is asked for none, also where the client leaves it to the model.
func (w *requestWriter) effort() {
	want := w.Request.Effort
	if w.offered && w.Target.NoToolEffort {
		want = "none"
	}
	if want == "" {
		return
	}
	e, same := ir.NearestEffort(want, w.Target.Efforts)
	if (!same || want != w.Request.Effort) && w.Request.Effort != "" {
		w.Lose(ir.FieldEffort)
	}
	if e != "" {
		w.Raw(`,"reasoning_effort":`)
		w.Literal(ir.Escaped(e))
	}
}

// format writes response_format. The API wants a name for a schema.
func (w *requestWriter) format() *ir.Error {
	f := &w.Request.Format
	if f.Schema == "" {
		if f.Object {
			w.Raw(`,"response_format":{"type":"json_object"}`)
		}
		return nil
	}
	if w.Target.NoFormat {
		return w.RefuseOrLose(w.Request.FieldPath(ir.FieldFormat), "a JSON Schema for its answer")
	}
	name := ir.Escaped("response")
	if f.Name != "" {
		name = ir.Identifier(f.Name, openai.MaxIdentifier)
	}
	w.Raw(`,"response_format":{"type":"json_schema","json_schema":{"name":`)
	w.Literal(name)
	if f.Description != "" {
		w.Raw(`,"description":`)
		w.Literal(f.Description)
	}
	w.Raw(`,"schema":`)
	w.Raw(string(f.Schema))
	switch f.Strict {
	case ir.True:
		w.Raw(`,"strict":true`)
	case ir.False:
		w.Raw(`,"strict":false`)
	}
	w.Raw(`}}`)
	return nil
}

// vendor writes what only OpenAI's own service knows. Absent on purpose: metadata, which it refuses unless it may store the
// answer, and a user id from a client of the Messages API, which names a device.
func (w *requestWriter) vendor() {
	r := w.Request
	if r.Metadata != "" && !jsonr.IsNothing(r.Metadata) {
		w.Lose(ir.FieldMetadata)
	}
	if r.Summary != "" && r.Summary != "auto" {
		w.Lose(ir.FieldSummary)
	}
	w.vendorField(`,"safety_identifier":`, openai.ShortID(r.UserID, openai.MaxIdentifier), r.Client.Name() != "anthropic", ir.FieldUserID)
	if w.Target.OpenAI || r.Verbosity != "medium" {
		w.vendorField(`,"verbosity":`, r.Verbosity, true, ir.FieldVerbosity)
	}
	if tier := r.ServiceTier; w.Target.OpenAI || tier != "auto" && tier != "default" {
		w.vendorField(`,"service_tier":`, tier, isTier(tier), ir.FieldServiceTier)
	}
	if key := openai.CacheKey(r); key != "" && w.Target.OpenAI { // elsewhere nothing is lost by it but time
		w.Raw(`,"prompt_cache_key":`)
		w.Literal(key)
	}
}

// vendorField writes a field for OpenAI's own service, where the value is one that it knows.
func (w *requestWriter) vendorField(key string, value ir.Escaped, known bool, field ir.Field) {
	switch {
	case value == "":
	case w.Target.OpenAI && known:
		w.Raw(key)
		w.Literal(value)
	default:
		w.Lose(field)
	}
}

func isTier(tier ir.Escaped) bool {
	return tier == "auto" || tier == "default" || tier == "flex" || tier == "scale" || tier == "priority"
}
