package chat

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// requestWriter writes one body of POST /v1/chat/completions (API reference, "Create chat completion").
type requestWriter struct {
	dst     []byte
	r       *ir.Request
	t       *ir.Target
	lost    *ir.Lost
	reasons bool          // reasoning of the history has been reported as lost
	results []*ir.Content // of the tool calls that are still to be written, in their order
	shown   []*ir.Content // results with images or files that are still to be shown to the model
	begun   bool          // a message has been written
	offered bool          // a tool has been written
}

// raw appends s as it stands. It is called from ninety places, and 14 KB of the module when it is inlined there.
//
//go:noinline
func (w *requestWriter) raw(s string) { w.dst = append(w.dst, s...) }

// literal appends a JSON string literal.
//
//go:noinline
func (w *requestWriter) literal(e ir.Escaped) { w.dst = jsonw.AppendEscaped(w.dst, e) }

func (w *requestWriter) write() *ir.Error {
	results, err := ir.MatchResults(w.r)
	if err != nil {
		return err
	}
	w.results = results
	w.raw(`{"model":`)
	w.literal(w.r.Model)
	w.raw(`,"messages":[`)
	if err := w.messages(); err != nil {
		return err
	}
	if !w.begun {
		return w.r.Empty()
	}
	w.raw(`]`)
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
	if w.r.Stream {
		w.raw(`,"stream":true`)
		if w.r.StreamUsage && !w.t.OmitStreamUsage {
			w.raw(`,"stream_options":{"include_usage":true}`)
		}
	}
	w.raw(`}`)
	return nil
}

// limit writes how long the answer may be.
func (w *requestWriter) limit() {
	r, t := w.r, w.t
	if n := r.MaxTokens; n > 0 {
		if t.MaxOutputTokens > 0 {
			n = min(n, t.MaxOutputTokens)
		}
		if t.MaxCompletionTokens {
			w.raw(`,"max_completion_tokens":`)
		} else {
			w.raw(`,"max_tokens":`)
		}
		w.dst = strconv.AppendInt(w.dst, n, 10)
	}
}

// sampling writes the sampling parameters. Where the upstream refuses them only what is not their default is missed.
func (w *requestWriter) sampling() {
	r := w.r
	w.sample(`,"temperature":`, r.Temperature, ir.FieldTemperature)
	w.sample(`,"top_p":`, r.TopP, ir.FieldTopP)
	if r.TopK != "" {
		w.lose(ir.FieldTopK)
	}
}

func (w *requestWriter) sample(key string, value ir.Raw, field ir.Field) {
	switch {
	case value == "":
	case !w.t.NoSampling:
		w.raw(key)
		w.raw(string(value))
	case value != "1" && value != "1.0":
		w.lose(field)
	}
}

// stops writes the stop sequences. An upstream that refuses them, or so many, is not told: whoever hands the answer on cuts it.
func (w *requestWriter) stops() {
	if len(w.r.Stop) == 0 || !w.t.TakesStops(len(w.r.Stop)) {
		return
	}
	separator := `,"stop":[`
	for _, s := range w.r.Stop {
		w.raw(separator)
		separator = `,`
		w.literal(s)
	}
	w.raw(`]`)
}

// effort writes reasoning_effort, where the upstream takes one. A value that means another than the client's is reported. One that
// refuses tools beside any is asked for none, also where the client leaves it to the model.
func (w *requestWriter) effort() {
	want := w.r.Effort
	if w.offered && w.t.NoToolEffort {
		want = "none"
	}
	if want == "" {
		return
	}
	e, same := ir.NearestEffort(want, w.t.Efforts)
	if (!same || want != w.r.Effort) && w.r.Effort != "" {
		w.lose(ir.FieldEffort)
	}
	if e != "" {
		w.raw(`,"reasoning_effort":`)
		w.literal(ir.Escaped(e))
	}
}

// format writes response_format. The API wants a name for a schema.
func (w *requestWriter) format() *ir.Error {
	f := &w.r.Format
	if f.Schema == "" {
		if f.Object {
			w.raw(`,"response_format":{"type":"json_object"}`)
		}
		return nil
	}
	if w.t.NoFormat {
		return w.refuseOrLose(w.r.FieldPath(ir.FieldFormat), "a JSON Schema for its answer")
	}
	name := ir.Escaped("response")
	if f.Name != "" {
		name = ir.Identifier(f.Name, openai.MaxIdentifier)
	}
	w.raw(`,"response_format":{"type":"json_schema","json_schema":{"name":`)
	w.literal(name)
	if f.Description != "" {
		w.raw(`,"description":`)
		w.literal(f.Description)
	}
	w.raw(`,"schema":`)
	w.raw(string(f.Schema))
	switch f.Strict {
	case ir.True:
		w.raw(`,"strict":true`)
	case ir.False:
		w.raw(`,"strict":false`)
	}
	w.raw(`}}`)
	return nil
}

// vendor writes what only OpenAI's own service knows. Absent on purpose: metadata, which it refuses unless it may store the
// answer, and a user id from a client of the Messages API, which names a device.
func (w *requestWriter) vendor() {
	r := w.r
	if r.Metadata != "" && !jsonr.IsNothing(r.Metadata) {
		w.lose(ir.FieldMetadata)
	}
	if r.Summary != "" && r.Summary != "auto" {
		w.lose(ir.FieldSummary)
	}
	w.vendorField(`,"safety_identifier":`, openai.ShortID(r.UserID, openai.MaxIdentifier), !r.API.PrivateUserID, ir.FieldUserID)
	if w.t.OpenAI || r.Verbosity != "medium" {
		w.vendorField(`,"verbosity":`, r.Verbosity, true, ir.FieldVerbosity)
	}
	if tier := r.ServiceTier; w.t.OpenAI || tier != "auto" && tier != "default" {
		w.vendorField(`,"service_tier":`, tier, isTier(tier), ir.FieldServiceTier)
	}
	if key := openai.CacheKey(r); key != "" && w.t.OpenAI { // elsewhere nothing is lost by it but time
		w.raw(`,"prompt_cache_key":`)
		w.literal(key)
	}
}

// vendorField writes a field for OpenAI's own service, where the value is one that it knows.
func (w *requestWriter) vendorField(key string, value ir.Escaped, known bool, field ir.Field) {
	switch {
	case value == "":
	case w.t.OpenAI && known:
		w.raw(key)
		w.literal(value)
	default:
		w.lose(field)
	}
}

func isTier(tier ir.Escaped) bool {
	return tier == "auto" || tier == "default" || tier == "flex" || tier == "scale" || tier == "priority"
}

// lose notes that the upstream can't be told a field.
func (w *requestWriter) lose(field ir.Field) { w.lost.Add(w.r.FieldPath(field)) }

// refuseOrLose deals with what changes the meaning and can't be given to the upstream.
func (w *requestWriter) refuseOrLose(path, what string) *ir.Error {
	return w.lost.AddOrRefuse(w.t, path, what)
}
