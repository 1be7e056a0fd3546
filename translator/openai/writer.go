package openai

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/schema"
)

// Writer writes the common parts of a request body of Chat Completions and Responses.
type Writer struct {
	ir.Writer
	Schemas schema.Room
}

// Limit writes the maximum length of the answer, in tokens: the client's limit, reduced to the
// upstream's maximum or raised to least, the API's minimum. key is the beginning of the member,
// such as `,"max_tokens":`.
func (w *Writer) Limit(key string, least int64) {
	n := w.Request.MaxTokens
	if n <= 0 {
		return
	}
	if most := w.Target.MaxOutputTokens; most > 0 {
		n = min(n, most)
	}
	if n < least {
		n = least
		w.Lose(ir.FieldMaxTokens)
	}
	w.Raw(key)
	w.Dst = strconv.AppendInt(w.Dst, n, 10)
}

// samples reports whether the upstream accepts sampling parameters. OpenAI's reasoning models accept
// them only at the effort "none", which GPT-5.1 and later have ("When reasoning effort is not none,
// remove temperature, top_p, and top_logprobs", .../guides/deployment-checklist).
func (w *Writer) samples() bool {
	if !w.Target.NoSampling {
		return true
	}
	effort, _ := w.Request.EffortFor(w.Target)
	return w.Target.OpenAI && effort == "none"
}

// Sampling writes temperature, top_p, and top_k, which OpenAI's own service lacks. An upstream that
// rejects sampling parameters gets none. Omitting a temperature or top_p of 1, the default, is not
// a loss. Only servers such as vLLM have -1 as a top_k; OpenRouter begins at 0.
func (w *Writer) Sampling() {
	if n, _ := ir.Millionths(w.Request.Temperature); w.Target.CoolTemperature && n > 1_500_000 {
		w.Lose(ir.FieldTemperature)
	} else {
		w.sample(`,"temperature":`, w.Request.Temperature, ir.FieldTemperature)
	}
	w.sample(`,"top_p":`, w.Request.TopP, ir.FieldTopP)
	switch {
	case w.Request.TopK == "":
	case w.Target.TopK && w.samples() &&
		(w.Target.ReasoningEcho != ir.EchoDetails || !w.Request.TopKIsNegative()):
		w.Raw(`,"top_k":`)
		w.Raw(string(w.Request.TopK))
	default:
		w.Lose(ir.FieldTopK)
	}
}

func (w *Writer) sample(key string, value ir.Raw, f ir.Field) {
	switch {
	case value == "":
	case w.samples():
		w.Raw(key)
		w.Raw(string(value))
	case value != "1" && value != "1.0":
		w.Lose(f)
	}
}

// AcceptsLogprobs reports whether the upstream is asked for log probabilities. OpenAI's reasoning
// models reject them, like sampling parameters (.../guides/latest-model, parameter compatibility).
func (w *Writer) AcceptsLogprobs() bool {
	return w.Request.Logprobs != "" && !w.Target.NoLogprobs && w.samples()
}

// AcceptsImage reports whether the upstream reads an image: OpenAI only four types ("Please make
// sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp']",
// STranslate/STranslate#277), and no server SVG ("cannot identify image file",
// open-webui/open-webui#30100).
//
//go:noinline
func (w *Writer) AcceptsImage(s *ir.Source) bool {
	if s.Data == "" {
		return true
	}
	kind := s.ImageKind()
	if w.Target.OpenAI || w.Target.Images != ir.AnyImages {
		return ir.IsCommonImage(kind) &&
			(w.Target.Images != ir.PlainImages || kind == "image/jpeg" || kind == "image/png")
	}
	return strings.HasPrefix(string(kind), "image/") && kind != "image/svg+xml"
}

// Logprobs writes the request for log probabilities, and top_logprobs. key is the whole first
// member, such as `,"logprobs":true`.
func (w *Writer) Logprobs(key string) *ir.Error {
	if !w.AcceptsLogprobs() {
		w.LoseLogprobs()
		return nil
	}
	if w.Target.OpenAI {
		if err := w.Request.CheckLogprobs(); err != nil {
			return err
		}
	}
	w.Raw(key)
	if r := w.Request; r.TopLogprobs != "" {
		w.Raw(`,"top_logprobs":`)
		w.Raw(string(r.TopLogprobs))
	}
	return nil
}

// Schema writes the members of the schema object for the answer's text: name, description, schema
// and strict. Both APIs require a name.
func (w *Writer) Schema() {
	f := &w.Request.Format
	name := ir.Escaped("response")
	if f.Name != "" {
		name = ir.Identifier(f.Name, MaxIdentifier)
	}
	w.Member(`"name":`, name)
	w.Member(`,"description":`, f.Description)
	w.Raw(`,"schema":`)
	w.Tri(`,"strict":`, schema.WriteFormat(&w.Writer, schema.OpenAI))
}

// User writes safety_identifier, which only OpenAI's own service knows. Claude Code's user_id names
// a device and a session ({"device_id","account_uuid","session_id"}), and is private. The user_id
// of other clients identifies a user, like OpenAI's.
func (w *Writer) User() {
	switch {
	case w.Request.UserID == "":
	case w.Target.OpenAI && !w.Request.PrivateUserID:
		w.Member(`,"safety_identifier":`, ShortID(w.Request.UserID, MaxIdentifier))
	default:
		w.Lose(ir.FieldUserID)
	}
}

// CacheKey writes prompt_cache_key and prompt_cache_retention, which only OpenAI's own service
// knows. Omitting them costs only time, so it is not a loss.
func (w *Writer) CacheKey() {
	if w.Target.OpenAI {
		w.Member(`,"prompt_cache_key":`, ShortID(cacheKey(w.Request), MaxIdentifier))
		w.Member(`,"prompt_cache_retention":`, w.Request.CacheRetention)
	}
}

// cacheKey returns the client's own key, or, for a client API without such a key, a digest of the
// session. The digest reveals nothing about the conversation or the user.
func cacheKey(r *ir.Request) ir.Escaped {
	if r.CacheKey != "" || r.Session == "" {
		return r.CacheKey
	}
	return ir.Digest(r.Session)
}

// URL writes the inside of the string that locates an image or a file: the URL, or a data URL with
// the content (RFC 2397).
//
//go:noinline
func (w *Writer) URL(s *ir.Source) {
	if s.URL != "" {
		w.Raw(string(s.URL))
		return
	}
	kind := s.ImageKind() // of the bytes, as for a JPEG that is declared as a PNG
	if kind == "" {
		kind = s.MediaType
	}
	w.Raw(`data:`)
	w.Raw(string(kind))
	w.Raw(`;base64,`)
	w.Raw(string(s.Data))
}

// TextOf writes the text of one block, without quotes. For a document it writes the title, the
// client's context, and the text. For a document that is not text it writes a note instead.
func (w *Writer) TextOf(c *ir.Content) {
	if c.Kind != ir.DocumentContent {
		w.Raw(string(c.Text))
		return
	}
	s := &c.Source
	if !s.HasOnlyText() {
		w.Raw(`[A document was left out: this model can't read it.`)
		if s.Title != "" {
			w.Raw(` Its title: `)
			w.Raw(string(s.Title))
		}
		w.Raw(`]`)
		return
	}
	for _, lead := range [...]ir.Escaped{s.Title, s.Context} {
		if lead != "" {
			w.Raw(string(lead))
			w.Raw(`\n\n`)
		}
	}
	w.Raw(string(s.Text))
	separator := ``
	for i := range c.Parts { // non-text parts have an empty Text
		if text := c.Parts[i].Text; text != "" {
			w.Raw(separator)
			separator = `\n\n`
			w.Raw(string(text))
		}
	}
}
