package openai

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/schema"
)

// Writer writes the body of one request: what Chat Completions and Responses say alike.
type Writer struct {
	ir.Writer
	Schemas schema.Room
}

// Limit writes how long the answer may be, in tokens: what the client asks for, at most what the
// upstream takes, and at least what the API takes. key is the member's beginning, as
// `,"max_tokens":`.
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

// Sampling writes temperature, top_p, and top_k, which OpenAI has not. An upstream that refuses the
// first two is not told of any; a value of 1 is the default of both, and no loss.
func (w *Writer) Sampling() {
	w.sample(`,"temperature":`, w.Request.Temperature, ir.FieldTemperature)
	w.sample(`,"top_p":`, w.Request.TopP, ir.FieldTopP)
	switch {
	case w.Request.TopK == "":
	case w.Target.TopK && !w.Target.NoSampling:
		w.Raw(`,"top_k":`)
		w.Raw(string(w.Request.TopK))
	default:
		w.Lose(ir.FieldTopK)
	}
}

func (w *Writer) sample(key string, value ir.Raw, f ir.Field) {
	switch {
	case value == "":
	case !w.Target.NoSampling:
		w.Raw(key)
		w.Raw(string(value))
	case value != "1" && value != "1.0":
		w.Lose(f)
	}
}

// TakesLogprobs reports whether the upstream is asked how likely the tokens of the answer are.
// OpenAI's models that reason refuse that with the parameters of sampling (.../guides/latest-model,
// parameter compatibility).
func (w *Writer) TakesLogprobs() bool {
	return w.Request.Logprobs != "" && !w.Target.NoSampling && !w.Target.NoLogprobs
}

// Logprobs writes what asks for them, and top_logprobs. key is the member's beginning, as
// `,"logprobs":true`.
func (w *Writer) Logprobs(key string) {
	if !w.TakesLogprobs() {
		w.LoseLogprobs()
		return
	}
	w.Raw(key)
	if r := w.Request; r.TopLogprobs != "" {
		w.Raw(`,"top_logprobs":`)
		w.Raw(string(r.TopLogprobs))
	}
}

// Schema writes the members of the object that says what the answer's text must look like: name,
// description, schema and strict. Both APIs want a name.
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

// User writes safety_identifier, which only OpenAI's own service knows. The user_id of Claude Code
// names a device and a session ({"device_id","account_uuid","session_id"}), which are not OpenAI's
// business; that of any other client names a user, as OpenAI's does.
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
// knows. Without them nothing is lost but time.
func (w *Writer) CacheKey() {
	if w.Target.OpenAI {
		w.Member(`,"prompt_cache_key":`, cacheKey(w.Request))
		w.Member(`,"prompt_cache_retention":`, w.Request.CacheRetention)
	}
}

// cacheKey returns the client's own key, or one made of its session for a client whose API has no
// such key. A key that is made says nothing about the conversation or the user.
func cacheKey(r *ir.Request) ir.Escaped {
	if r.CacheKey != "" || r.Session == "" {
		return r.CacheKey
	}
	return ir.Digest(r.Session)
}

// URL writes the inside of the string that says where an image or a file is: its URL, or a data URL
// of what it is (RFC 2397).
func (w *Writer) URL(s *ir.Source) {
	if s.URL != "" {
		w.Raw(string(s.URL))
		return
	}
	w.Raw(`data:`)
	w.Raw(string(s.MediaType))
	w.Raw(`;base64,`)
	w.Raw(string(s.Data))
}

// TextOf writes the text of one block without quotes: of a document its title, what the client says
// of it, and its text. A document that is no text leaves a note in its place.
func (w *Writer) TextOf(c *ir.Content) {
	if c.Kind != ir.DocumentContent {
		w.Raw(string(c.Text))
		return
	}
	s := &c.Source
	if !s.IsPlain() {
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
	for i := range c.Parts { // text, and what is none
		if text := c.Parts[i].Text; text != "" {
			w.Raw(separator)
			separator = `\n\n`
			w.Raw(string(text))
		}
	}
}
