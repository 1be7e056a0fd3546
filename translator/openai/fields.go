package openai

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Invalid refuses the value at a path, with the code "invalid_value".
//
//go:noinline
func Invalid(path, message string) *ir.Error {
	return &ir.Error{Kind: ir.InvalidRequest, Path: path, Message: message, Code: "invalid_value"}
}

// Unsupported refuses a word at a path. known are the words that the API knows there, as they stand
// in the refusal.
func Unsupported(path string, value ir.Escaped, known string) *ir.Error {
	word := jsonw.Unescape(value)
	return Invalid(path,
		"Invalid value for '"+path+"': '"+word[:min(len(word), 64)]+"'. Supported values are: "+known+".")
}

// Missing refuses a body without the field at a path, which the API requires.
func Missing(path string) *ir.Error {
	return &ir.Error{Kind: ir.InvalidRequest, Path: path, Code: "missing_required_parameter",
		Message: "Missing required parameter: '" + path + "'."}
}

// WrongType refuses the value at a path, "" for the body itself, where the API wants something
// else: want, as "a string". got is what stands there, jsonr.Missing for what the refusal does not
// name.
func WrongType(path, want string, got jsonr.Kind) *ir.Error {
	e := &ir.Error{Kind: ir.InvalidRequest, Path: path, Code: "invalid_type"}
	e.Message = "Invalid type for '" + path + "': expected " + want
	if path == "" {
		e.Message = "Invalid type for the request body: expected " + want
	}
	if got != jsonr.Missing {
		e.Message += ", but got " + KindName(got) + " instead"
	}
	e.Message += "."
	return e
}

// KindName returns the APIs' words for a kind of value, as "a string".
func KindName(k jsonr.Kind) string {
	return [...]string{"", "null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// ReadMember reads the member of a body that r stands before and that means the same in both APIs.
// What it does not know is lost. Not read on purpose is prompt_cache_options, which steers what
// OpenAI bills.
func ReadMember(r *jsonr.Reader, q *ir.Request, lost *ir.Lost) (err *ir.Error) {
	switch key := r.Key(); key {
	case "model":
		q.Model, err = ReadText(r, key)
	case "stream":
		q.Stream, err = ReadFlag(r, key)
	case "parallel_tool_calls":
		q.Parallel, err = ReadTri(r, key)
	case "temperature":
		q.Temperature, err = ReadNumber(r, key)
	case "top_p":
		q.TopP, err = ReadNumber(r, key)
	case "presence_penalty":
		q.Presence, err = readPenalty(r, key)
	case "frequency_penalty":
		q.Frequency, err = readPenalty(r, key)
	case "seed":
		q.Seed, err = ReadNumber(r, key)
	case "service_tier":
		q.ServiceTier, err = ReadText(r, key)
	case "safety_identifier":
		q.UserIDPath = key
		q.UserID, err = ReadText(r, key)
	case "user": // the older name of safety_identifier; where a body has both, safety_identifier counts
		var id ir.Escaped
		if id, err = ReadText(r, key); q.UserIDPath != "safety_identifier" {
			q.UserID, q.UserIDPath = id, key
		}
	case "metadata":
		if q.Metadata, err = ReadObject(r, key); !jsonr.Asks(q.Metadata) {
			q.Metadata = ""
		}
	case "prompt_cache_key":
		q.CacheKey, err = ReadText(r, key)
	case "top_logprobs":
		if q.TopLogprobs, err = ReadNumber(r, key); IsZero(q.TopLogprobs) {
			q.TopLogprobs = ""
		}
	case "prompt_cache_retention": // how long, as "24h"
		q.CacheRetention, err = ReadText(r, key)
	case "prompt_cache_options":
	default:
		lost.AddMember("", r)
	}
	return err
}

// ReadText reads the value that r stands before, at a path: a string. So do the functions below it,
// with what they want.
func ReadText(r *jsonr.Reader, path string) (ir.Escaped, *ir.Error) {
	kind := r.Kind()
	e, ok := jsonr.Text(r.Value())
	if !ok {
		return "", WrongType(path, "a string", kind)
	}
	return e, nil
}

// Required returns the text of v, the value of a field of what stands at at. It refuses a field
// that is not there, where v is "", and one that is no string.
func Required(v ir.Raw, at ir.Pos, field string) (ir.Escaped, *ir.Error) {
	if v == "" {
		return "", Missing(at.Path(field))
	}
	e, ok := jsonr.Text(v)
	if !ok {
		return "", WrongType(at.Path(field), "a string", jsonr.KindOf(v))
	}
	return e, nil
}

// ReadFlag reads a boolean.
func ReadFlag(r *jsonr.Reader, path string) (bool, *ir.Error) {
	if r.Kind() != jsonr.Bool {
		return false, WrongType(path, "a boolean", r.Kind())
	}
	return r.Value() == "true", nil
}

// ReadTri reads a boolean whose absence means something of its own.
func ReadTri(r *jsonr.Reader, path string) (ir.Tri, *ir.Error) {
	set, err := ReadFlag(r, path)
	if set {
		return ir.True, err
	}
	return ir.False, err
}

// ReadNumber reads a number as it stands.
func ReadNumber(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	if r.Kind() != jsonr.Number {
		return "", WrongType(path, "a decimal", r.Kind())
	}
	return r.Value(), nil
}

// readPenalty reads a number, "" for 0, which is no penalty.
func readPenalty(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	v, err := ReadNumber(r, path)
	if IsZero(v) {
		v = ""
	}
	return v, err
}

// ReadPositive reads a whole number of at least 1.
func ReadPositive(r *jsonr.Reader, path string) (int64, *ir.Error) {
	kind := r.Kind()
	n, ok := jsonr.Int(r.Value())
	if !ok {
		return 0, WrongType(path, "an integer", kind)
	}
	if n < 1 {
		return 0, &ir.Error{Kind: ir.InvalidRequest, Path: path, Code: "integer_below_min_value",
			Message: "Invalid '" + path + "': integer below minimum value. Expected a value >= 1, but got " +
				strconv.FormatInt(n, 10) + " instead."}
	}
	return n, nil
}

// ReadObject reads an object as it stands.
func ReadObject(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	if r.Kind() != jsonr.Object {
		return "", WrongType(path, "an object", r.Kind())
	}
	return r.Value(), nil
}

// ReadList reads an array as it stands.
func ReadList(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	if r.Kind() != jsonr.Array {
		return "", WrongType(path, "an array of objects", r.Kind())
	}
	return r.Value(), nil
}

// NameIn returns the member "name" of an object, "" where it has none.
func NameIn(v ir.Raw) (name ir.Escaped) {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "name" {
			name, _ = jsonr.Text(r.Value())
		}
	}
	return name
}

// Arguments returns the arguments of a call in the history as an object: {} for blank text and null
// (FAULTS 56). Text that is no object was written by a model and may not fail the conversation:
// jsonr.AppendObject wraps it (FAULTS 57).
func Arguments(e ir.Escaped) ir.Raw {
	if e == "{}" || e == "null" || jsonr.IsBlank(e) {
		return "{}"
	}
	e = Unwrapped(e)
	return ir.Raw(jsonr.AppendObject(make([]byte, 0, len(e)+len(`{"invalid_arguments":""}`)), e))
}

// Unwrapped returns arguments that were encoded twice, as a JSON string that holds the object,
// without that string. JetBrains Koog (github.com/JetBrains/koog/issues/2095) and OpenClaw
// (github.com/openclaw/openclaw/pull/96717) sent histories so. All other arguments are returned as
// they are.
func Unwrapped(e ir.Escaped) ir.Escaped {
	// it begins with neither a quote nor a line break, which are escaped
	if !strings.HasPrefix(strings.TrimLeft(string(e), " "), `\`) {
		return e
	}
	text := strings.TrimSpace(jsonw.Unescape(e))
	if inner, ok := jsonr.Text(ir.Raw(text)); ok && jsonr.Check(text) == nil &&
		strings.HasPrefix(strings.TrimSpace(jsonw.Unescape(inner)), "{") {
		return inner
	}
	return e
}

// ReadURL sets the source of an image or a file from its URL: one of the web, or a base64 data URL
// with a media type (RFC 2397). ok is false for any other, and s is then as it was.
func ReadURL(s *ir.Source, url ir.Escaped) (ok bool) {
	if strings.HasPrefix(string(url), "http") {
		s.URL = url
		return true
	}
	head, data, ok := strings.Cut(string(url), ",")
	head = jsonw.Unescape(ir.Escaped(head)) // PHP writes data:image\/png
	head, isData := strings.CutPrefix(head, "data:")
	head, isBase64 := strings.CutSuffix(head, ";base64")
	head, _, _ = strings.Cut(head, ";")
	if !ok || !isData || !isBase64 || head == "" || data == "" {
		return false
	}
	s.MediaType, s.Data = jsonw.Escape(head), ir.Escaped(data)
	return true
}

// Vendor is who stores the files that a file_id of either API names.
const Vendor = "openai"

// ReadFile sets the source of a file from its file_data: a URL, as ReadURL takes it, or base64
// alone, of a PDF by its name and of text by what it holds.
func ReadFile(s *ir.Source, data ir.Escaped) (ok bool) {
	if strings.Contains(string(data), ",") || strings.HasPrefix(string(data), "http") {
		return ReadURL(s, data)
	}
	s.Data = data
	switch {
	case strings.HasSuffix(strings.ToLower(jsonw.Unescape(s.Title)), ".pdf"):
		s.MediaType = ir.PDF
	case s.HoldsText():
		s.MediaType = "text/plain"
	default:
		return false
	}
	return true
}

// ReadFileID sets the source of an image or a file from its id, at a field of its part.
func ReadFileID(c *ir.Content, id ir.Raw, field string) (err *ir.Error) {
	f := ir.File{Vendor: Vendor, Field: field}
	f.ID, err = Required(id, c.At, field)
	c.Source.File = &f
	return err
}

// ReadAudio reads the value of "input_audio", which both APIs have alike.
func ReadAudio(c *ir.Content, v ir.Raw) *ir.Error {
	if jsonr.KindOf(v) != jsonr.Object {
		return Missing(c.At.Path(".input_audio"))
	}
	c.Kind, c.Raw = ir.AudioContent, v
	return nil
}

// NotURL refuses what ReadURL does not take.
func NotURL(path string) *ir.Error {
	return Invalid(path,
		"Invalid value: expected a URL of the web, or a base64-encoded data URL with a MIME type (e.g. "+
			"'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU=').")
}

// Grammar returns "format" of a custom tool, "" where it asks for nothing: {"type":"text"}, null.
func Grammar(format ir.Raw) ir.Raw {
	r := jsonr.NewReader(string(format))
	if r.Kind() != jsonr.Object {
		return ""
	}
	for r.OpenObject(); r.Member(); {
		if r.Key() == "type" && r.Value() == `"text"` {
			return ""
		}
	}
	return format
}

// ToolMode returns the mode for the tool_choice "auto", "none" or "required".
func ToolMode(word ir.Escaped) ir.ToolMode {
	switch word {
	case "auto":
		return ir.ToolsAuto
	case "none":
		return ir.ToolsNone
	}
	return ir.ToolsRequired
}

// ToolChoice returns the tool_choice for a mode that needs no name: the word that ToolMode reads.
func ToolChoice(mode ir.ToolMode) ir.Escaped {
	switch mode {
	case ir.ToolsAuto:
		return "auto"
	case ir.ToolsNone:
		return "none"
	}
	return "required"
}

// IsZero reports whether a number is 0, however it is written: 0, 0.0, -0, 0e5.
func IsZero(v ir.Raw) bool {
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == 'e' || c == 'E':
			return true
		case c != '0' && c != '.' && c != '-':
			return false
		}
	}
	return true
}
