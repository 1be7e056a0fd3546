package responses

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// minOutputTokens is the least that max_output_tokens may be.
const minOutputTokens = 16

// requestWriter writes one body of POST /v1/responses (API reference, "Create a model response").
type requestWriter struct {
	ir.Writer
	begun   bool // an item of the input has been written
	answers int  // what the turn has still to say or call
}

func (w *requestWriter) write() *ir.Error {
	if err := w.Begin(); err != nil {
		return err
	}
	messages := w.Request.Messages
	if len(messages) > 1 && messages[0].Role == ir.System { // an input must be there, too
		if err := w.instructions(messages[0].Content); err != nil {
			return err
		}
		messages = messages[1:]
	}
	w.Raw(`,"input":[`)
	if err := w.input(messages); err != nil {
		return err
	}
	if !w.begun {
		return w.Request.Empty()
	}
	w.Raw(`]`)
	if err := w.tools(); err != nil {
		return err
	}
	w.limits()
	w.reasoning()
	if err := w.text(); err != nil {
		return err
	}
	w.account()
	w.Raw(`,"store":false`) // the history is always whole, and nobody would fetch the answer again
	if w.Request.Stream {
		w.Raw(`,"stream":true`)
	}
	w.Raw(`}`)
	return nil
}

// own reports whether the client speaks this protocol: what the hub has no name for may go as it stands.
func (w *requestWriter) own() bool { return w.Request.Client.Name() == Name }

// limits writes the length and sampling parameters. Stop sequences do not exist here: the answer is cut behind the decoder.
func (w *requestWriter) limits() {
	r := w.Request
	if n := r.MaxTokens; n > 0 {
		if w.Target.MaxOutputTokens > 0 {
			n = min(n, w.Target.MaxOutputTokens)
		}
		if n < minOutputTokens {
			n = minOutputTokens
			w.Lose(ir.FieldMaxTokens)
		}
		w.Raw(`,"max_output_tokens":`)
		w.Dst = strconv.AppendInt(w.Dst, n, 10)
	}
	w.sampling(`,"temperature":`, r.Temperature, ir.FieldTemperature)
	w.sampling(`,"top_p":`, r.TopP, ir.FieldTopP)
	if r.TopK != "" {
		w.Lose(ir.FieldTopK)
	}
}

func (w *requestWriter) sampling(key string, v ir.Raw, f ir.Field) {
	switch {
	case v == "":
	case !w.Target.NoSampling:
		w.Raw(key)
		w.Raw(string(v))
	case v != "1" && v != "1.0": // the default
		w.Lose(f)
	}
}

// text writes text: the format of the answer and its verbosity.
func (w *requestWriter) text() *ir.Error {
	f, separator := &w.Request.Format, `,"text":{`
	switch {
	case f.Schema == "" && !f.Object:
	case w.Target.NoFormat && f.Schema != "":
		if err := w.RefuseOrLose(w.Request.FieldPath(ir.FieldFormat), "a JSON Schema for its answer"); err != nil {
			return err
		}
	default:
		w.Next(&separator)
		w.format(f)
	}
	if v := w.Request.Verbosity; v != "" && !w.Target.OpenAI {
		if v != "medium" { // the default
			w.Lose(ir.FieldVerbosity)
		}
	} else if v != "" {
		w.Next(&separator)
		w.Raw(`"verbosity":`)
		w.Literal(v)
	}
	if separator == `,` {
		w.Raw(`}`)
	}
	return nil
}

// format writes text.format. The API wants a name.
func (w *requestWriter) format(f *ir.Format) {
	if f.Schema == "" {
		w.Raw(`"format":{"type":"json_object"}`)
		return
	}
	name := ir.Escaped("response")
	if f.Name != "" {
		name = ir.Identifier(f.Name, openai.MaxIdentifier)
	}
	w.Raw(`"format":{"type":"json_schema","name":`)
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
	w.Raw(`}`)
}

// account writes what only OpenAI's own service knows. The user id of a Messages client names a device and a session, which are
// nobody else's business.
func (w *requestWriter) account() {
	r := w.Request
	if id := r.UserID; id != "" {
		if w.Target.OpenAI && r.Client.Name() != "anthropic" {
			w.Raw(`,"safety_identifier":`)
			w.Literal(openai.ShortID(id, openai.MaxIdentifier))
		} else {
			w.Lose(ir.FieldUserID)
		}
	}
	if r.Metadata != "" && w.Target.OpenAI {
		w.Raw(`,"metadata":`)
		w.Raw(string(r.Metadata))
	} else if r.Metadata != "" {
		w.Lose(ir.FieldMetadata)
	}
	if r.ServiceTier != "" && w.Target.OpenAI {
		w.Raw(`,"service_tier":`)
		w.Literal(r.ServiceTier)
	} else if r.ServiceTier != "" && r.ServiceTier != "auto" && r.ServiceTier != "default" {
		w.Lose(ir.FieldServiceTier)
	}
	if key := openai.CacheKey(r); key != "" && w.Target.OpenAI {
		w.Raw(`,"prompt_cache_key":`)
		w.Literal(key)
	}
}
