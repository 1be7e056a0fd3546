package responses

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// minOutputTokens is the least that max_output_tokens may be.
const minOutputTokens = 16

// requestWriter writes one body of POST /v1/responses (API reference, "Create a model response").
type requestWriter struct {
	dst     []byte
	r       *ir.Request
	t       *ir.Target
	lost    *ir.Lost
	reasons bool          // reasoning of the history has been reported as lost
	results []*ir.Content // of the tool calls that are still to be written, in their order
	begun   bool          // an item of the input has been written
	answers int           // what the turn has still to say or call
}

// raw appends s as it stands. It is called from everywhere, and large where it is inlined.
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
	messages := w.r.Messages
	if len(messages) > 1 && messages[0].Role == ir.System { // an input must be there, too
		if err := w.instructions(messages[0].Content); err != nil {
			return err
		}
		messages = messages[1:]
	}
	w.raw(`,"input":[`)
	if err := w.input(messages); err != nil {
		return err
	}
	if !w.begun {
		return w.r.Empty()
	}
	w.raw(`]`)
	if err := w.tools(); err != nil {
		return err
	}
	w.limits()
	w.reasoning()
	if err := w.text(); err != nil {
		return err
	}
	w.account()
	w.raw(`,"store":false`) // the history is always whole, and nobody would fetch the answer again
	if w.r.Stream {
		w.raw(`,"stream":true`)
	}
	w.raw(`}`)
	return nil
}

// own reports whether the client speaks this protocol: what the hub has no name for may go as it stands.
func (w *requestWriter) own() bool { return w.r.API.Name == Name }

// limits writes the length and sampling parameters. Stop sequences do not exist here: the answer is cut behind the decoder.
func (w *requestWriter) limits() {
	r := w.r
	if n := r.MaxTokens; n > 0 {
		if w.t.MaxOutputTokens > 0 {
			n = min(n, w.t.MaxOutputTokens)
		}
		if n < minOutputTokens {
			n = minOutputTokens
			w.lost.Add(r.FieldPath(ir.FieldMaxTokens))
		}
		w.raw(`,"max_output_tokens":`)
		w.dst = strconv.AppendInt(w.dst, n, 10)
	}
	w.sampling(`,"temperature":`, r.Temperature, ir.FieldTemperature)
	w.sampling(`,"top_p":`, r.TopP, ir.FieldTopP)
	if r.TopK != "" {
		w.lost.Add(r.FieldPath(ir.FieldTopK))
	}
}

func (w *requestWriter) sampling(key string, v ir.Raw, f ir.Field) {
	switch {
	case v == "":
	case !w.t.NoSampling:
		w.raw(key)
		w.raw(string(v))
	case v != "1" && v != "1.0": // the default
		w.lost.Add(w.r.FieldPath(f))
	}
}

// reasoning writes reasoning, and asks for what carries it to the next turn. Models that do not reason refuse both.
func (w *requestWriter) reasoning() {
	effort, summary := ir.Escaped(""), w.r.Summary
	if w.r.Effort != "" {
		e, exact := ir.NearestEffort(w.r.Effort, w.t.Efforts)
		if !exact {
			w.lost.Add(w.r.FieldPath(ir.FieldEffort))
		}
		effort = ir.Escaped(e)
	}
	if len(w.t.Efforts) == 0 {
		if summary != "" && summary != "auto" {
			w.lost.Add(w.r.FieldPath(ir.FieldSummary))
		}
		return
	}
	separator := `,"reasoning":{"effort":`
	if effort != "" {
		w.raw(separator)
		w.literal(effort)
		separator = `,"summary":`
	} else {
		separator = `,"reasoning":{"summary":`
	}
	if summary != "" {
		w.raw(separator)
		w.literal(summary)
	}
	if effort != "" || summary != "" {
		w.raw(`}`)
	}
	w.raw(`,"include":["reasoning.encrypted_content"]`)
}

// text writes text: the format of the answer and its verbosity.
func (w *requestWriter) text() *ir.Error {
	f, separator := &w.r.Format, `,"text":{`
	switch {
	case f.Schema == "" && !f.Object:
	case w.t.NoFormat && f.Schema != "":
		if err := w.refuseOrLose(w.r.FieldPath(ir.FieldFormat), "a JSON Schema for its answer"); err != nil {
			return err
		}
	default:
		w.raw(separator)
		separator = `,`
		w.format(f)
	}
	if v := w.r.Verbosity; v != "" && !w.t.OpenAI {
		if v != "medium" { // the default
			w.lost.Add(w.r.FieldPath(ir.FieldVerbosity))
		}
	} else if v != "" {
		w.raw(separator)
		separator = `,`
		w.raw(`"verbosity":`)
		w.literal(v)
	}
	if separator == `,` {
		w.raw(`}`)
	}
	return nil
}

// format writes text.format. The API wants a name.
func (w *requestWriter) format(f *ir.Format) {
	if f.Schema == "" {
		w.raw(`"format":{"type":"json_object"}`)
		return
	}
	name := ir.Escaped("response")
	if f.Name != "" {
		name = ir.Identifier(f.Name, openai.MaxIdentifier)
	}
	w.raw(`"format":{"type":"json_schema","name":`)
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
	w.raw(`}`)
}

// account writes what only OpenAI's own service knows. The user id of a Messages client names a device and a session, which are
// nobody else's business.
func (w *requestWriter) account() {
	r := w.r
	if id := r.UserID; id != "" {
		if w.t.OpenAI && !r.API.PrivateUserID {
			w.raw(`,"safety_identifier":`)
			w.literal(openai.ShortID(id, openai.MaxIdentifier))
		} else {
			w.lost.Add(r.FieldPath(ir.FieldUserID))
		}
	}
	if r.Metadata != "" && w.t.OpenAI {
		w.raw(`,"metadata":`)
		w.raw(string(r.Metadata))
	} else if r.Metadata != "" {
		w.lost.Add(r.FieldPath(ir.FieldMetadata))
	}
	if r.ServiceTier != "" && w.t.OpenAI {
		w.raw(`,"service_tier":`)
		w.literal(r.ServiceTier)
	} else if r.ServiceTier != "" && r.ServiceTier != "auto" && r.ServiceTier != "default" {
		w.lost.Add(r.FieldPath(ir.FieldServiceTier))
	}
	if key := openai.CacheKey(r); key != "" && w.t.OpenAI {
		w.raw(`,"prompt_cache_key":`)
		w.literal(key)
	}
}

// refuseOrLose deals with what changes the meaning and can't be given to the upstream.
func (w *requestWriter) refuseOrLose(path, what string) *ir.Error {
	return w.lost.AddOrRefuse(w.t, path, what)
}
