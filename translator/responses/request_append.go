package responses

import (
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// minOutputTokens is the smallest max_output_tokens that the API accepts.
const minOutputTokens = 16

// requestWriter writes one body of POST /v1/responses (API reference, "Create a model response").
type requestWriter struct {
	openai.Writer
	ids     ir.CallIDs
	sent    []ir.Escaped // the ids of the turn's calls
	begun   bool         // an item of the input was written
	answers int          // how many texts and calls of the current turn are not written yet
	goesOn  bool         // the current turn has a call, or is to be continued by the model

	// tools whose definitions were written after a tool search in the history: each only once, even
	// if found repeatedly
	loaded map[ir.Escaped]bool

	// the ids of the reasoning items written so far
	thoughts map[ir.Escaped]bool
}

func (w *requestWriter) write() *ir.Error {
	if err := w.Begin(); err != nil {
		return err
	}
	messages := w.Request.Messages
	// the API requires input in addition to instructions
	if len(messages) > 1 && messages[0].Role == ir.System {
		if err := w.instructions(messages[0].Content); err != nil {
			return err
		}
		messages = messages[1:]
	}
	if _, err := w.Prefill(); err != nil {
		return err
	}
	w.Raw(`,"input":[`)
	if err := w.input(messages); err != nil {
		return err
	}
	compaction := w.ownCompaction()
	if compaction != nil && compaction.Trigger {
		w.item("compaction_trigger")
		w.Raw(`}`)
	}
	if !w.begun {
		return w.Request.Empty()
	}
	w.Raw(`]`)
	if compaction != nil && compaction.Raw != "" {
		w.Raw(`,"context_management":`)
		w.Raw(string(compaction.Raw))
	}
	if err := w.tools(); err != nil {
		return err
	}
	w.Limit(`,"max_output_tokens":`, minOutputTokens)
	w.Sampling()
	w.LosePenalties()
	w.LoseSeed()
	w.reasoning()
	w.include()
	if err := w.Logprobs(""); err != nil {
		return err
	}
	if err := w.text(); err != nil {
		return err
	}
	w.account()
	// the client always sends the whole history, so the answer will never be fetched again
	w.Raw(`,"store":false`)
	if w.Request.Stream {
		w.Raw(`,"stream":true`)
	}
	w.Raw(`}`)
	return nil
}

// include asks for parts of an answer that the API omits by default: encrypted reasoning, which
// carries the reasoning to the next request (FAULTS 76), and log probabilities of the text. Models
// that do not reason reject the first.
func (w *requestWriter) include() {
	separator := `,"include":[`
	if len(w.Target.Efforts) > 0 {
		w.Next(&separator)
		w.Raw(`"reasoning.encrypted_content"`)
	}
	if w.AcceptsLogprobs() {
		w.Next(&separator)
		w.Raw(`"message.output_text.logprobs"`)
	}
	if separator == `,` {
		w.Raw(`]`)
	}
}

// own reports whether the client speaks this API. Items, parts and tools unknown to the hub are
// then copied unchanged.
func (w *requestWriter) own() bool { return w.Request.API.Name == Name }

// ownCompaction returns the client's compaction request, for an upstream that compacts by itself.
// It is nil without such a request, or if the client has a summary of ours.
func (w *requestWriter) ownCompaction() *ir.Compaction {
	if w.own() && w.Target.OwnCompaction {
		return w.Request.Compaction
	}
	return nil
}

// text writes "text": the format of the answer, and its verbosity.
func (w *requestWriter) text() *ir.Error {
	f, separator := &w.Request.Format, `,"text":{`
	switch {
	case f.Schema == "" && !f.Object:
	case w.Target.NoFormat && f.Schema != "":
		if err := w.RefuseOrLose(w.Request.FieldPath(ir.FieldFormat),
			"a JSON Schema as the response format"); err != nil {
			return err
		}
	default:
		w.Next(&separator)
		if f.Schema == "" {
			w.Raw(`"format":{"type":"json_object"}`)
			break
		}
		w.Raw(`"format":{"type":"json_schema",`)
		w.Schema()
		w.Raw(`}`)
	}
	if v := w.Request.Verbosity; v != "" && !w.Target.OpenAI {
		if v != "medium" { // the default
			w.Lose(ir.FieldVerbosity)
		}
	} else if v != "" {
		w.Next(&separator)
		w.Member(`"verbosity":`, v)
	}
	if separator == `,` {
		w.Raw(`}`)
	}
	return nil
}

// account writes the members known only to OpenAI's own service. For other upstreams they are
// losses, except a default service_tier.
func (w *requestWriter) account() {
	r := w.Request
	w.User()
	if r.Metadata != "" && w.Target.OpenAI && isMetadata(r.Metadata) {
		w.Raw(`,"metadata":`)
		w.Raw(string(r.Metadata))
	} else if r.Metadata != "" {
		w.Lose(ir.FieldMetadata)
	}
	if tier, field := r.Tier(); w.Target.OpenAI && (openai.IsTier(tier) || w.own()) {
		w.Member(`,"service_tier":`, tier)
	} else if tier != "" && tier != "auto" && tier != "default" {
		w.Lose(field)
	}
	w.CacheKey()
}

// isMetadata reports whether OpenAI accepts metadata: at most 16 strings of at most 512 characters,
// with keys of at most 64 (Shared.Metadata of openai 7.55.0).
//
//go:noinline
func isMetadata(metadata ir.Raw) bool {
	n := 0
	r := jsonr.NewReader(string(metadata))
	for r.OpenObject(); r.Member(); n++ {
		text, ok := jsonr.Text(r.Value())
		if !ok || utf8.RuneCountInString(jsonw.Unescape(text)) > 512 || len(r.Key()) > 64 {
			return false
		}
	}
	return n <= 16
}
