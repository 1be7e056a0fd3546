package openai

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Invalid returns the error for an invalid value at path, with the code "invalid_value".
//
//go:noinline
func Invalid(path, message string) *ir.Error {
	return &ir.Error{Kind: ir.InvalidRequest, Path: path, Message: message, Code: "invalid_value"}
}

// Unsupported returns the error for an unknown word at path. known lists the words the API accepts
// there, as the message shows them.
func Unsupported(path string, value ir.Escaped, known string) *ir.Error {
	word := jsonw.Unescape(value)
	return Invalid(path, "Invalid value for '"+path+"': '"+strings.ToValidUTF8(ir.Shortened(word), "")+
		"'. Supported values are: "+known+"."+ir.DidYouMean(word, known))
}

// Missing returns the error for a body without the required field at path.
func Missing(path string) *ir.Error {
	return &ir.Error{Kind: ir.InvalidRequest, Path: path, Code: "missing_required_parameter",
		Message: "Missing required parameter: '" + path + "'."}
}

// WrongType returns the error for a value of the wrong type at path; "" means the body itself. want
// is the expected type, such as "a string". got is the kind of the value, or jsonr.Missing to leave
// the kind out of the message.
func WrongType(path, want string, got jsonr.Kind) *ir.Error {
	e := &ir.Error{Kind: ir.InvalidRequest, Path: path, Code: "invalid_type"}
	e.Message = "Invalid type for '" + path + "': expected " + want
	if path == "" {
		e.Message = "Invalid type for the request body: expected " + want
	}
	if got != jsonr.Missing {
		e.Message += ", but got " + got.Name() + " instead"
	}
	e.Message += "."
	return e
}

// wrongValue is WrongType for a field whose values are no secrets: the message shows the value v.
func wrongValue(path, want string, v ir.Raw) *ir.Error {
	kind := jsonr.KindOf(v)
	e := WrongType(path, want, kind)
	if kind == jsonr.String || kind == jsonr.Number {
		e.Message += ir.WrongValue(v, "")
	}
	return e
}

// ReadMember reads the member at r, if both APIs have it with the same meaning, from a client's
// body into q. An unknown member is recorded in lost.
func ReadMember(r *jsonr.Reader, q *ir.Request, lost *ir.Lost) (err *ir.Error) {
	// Not a table: when a field is lost differs by API and by field. A temperature is clamped or
	// gives way to thinking, verbosity "medium" and a top_p of 1 are no loss, tiers have other
	// names. Each row would be a pointer to a function of its own: more code than this switch, and
	// slower in wasm.
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
	case "user":
		// the older name of safety_identifier; if a body has both, safety_identifier takes
		// precedence
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
	case "prompt_cache_retention": // a duration, such as "24h"
		q.CacheRetention, err = ReadText(r, key)
	case "prompt_cache_options":
		loseCacheOptions(r, lost)
	default:
		lost.AddMember("", r)
	}
	return err
}

// loseCacheOptions reports the members of prompt_cache_options: no other API has breakpoints of
// OpenAI's. The usual mode "implicit" asks for nothing.
//
//go:noinline
func loseCacheOptions(r *jsonr.Reader, lost *ir.Lost) {
	for r.OpenObject(); r.Member(); {
		v := r.Value()
		if end := lost.Member(r.Key(), v); end != "" && v != `"implicit"` {
			lost.Add("prompt_cache_options" + end)
		}
	}
}

// ReadText reads a string, the value at r. The result is a view of the body. path names the value
// in the error. The functions below do the same for values of other types.
func ReadText(r *jsonr.Reader, path string) (ir.Escaped, *ir.Error) {
	kind := r.Kind()
	e, ok := jsonr.Text(r.Value())
	if !ok {
		return "", WrongType(path, "a string", kind)
	}
	return e, nil
}

// Required returns the text of v, the value of a field of the object at at. It fails if the field
// is missing (v is ""), or is not a string.
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
		return false, wrongValue(path, "a boolean", r.Value())
	}
	return r.Value() == "true", nil
}

// ReadTri reads a boolean whose absence has a meaning of its own.
func ReadTri(r *jsonr.Reader, path string) (ir.Tri, *ir.Error) {
	set, err := ReadFlag(r, path)
	if set {
		return ir.True, err
	}
	return ir.False, err
}

// ReadNumber reads a number without converting it.
func ReadNumber(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	if r.Kind() != jsonr.Number {
		return "", wrongValue(path, "a decimal", r.Value())
	}
	return r.Value(), nil
}

// readPenalty reads a number. It returns "" for 0, because 0 means no penalty.
func readPenalty(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	v, err := ReadNumber(r, path)
	if IsZero(v) {
		v = ""
	}
	return v, err
}

// ReadPositive reads an integer of at least 1.
func ReadPositive(r *jsonr.Reader, path string) (int64, *ir.Error) {
	v := r.Value()
	n, ok := jsonr.Int(v)
	if !ok {
		return 0, wrongValue(path, "an integer", v)
	}
	if n < 1 {
		return 0, &ir.Error{Kind: ir.InvalidRequest, Path: path, Code: "integer_below_min_value",
			Message: "Invalid '" + path + "': integer below minimum value. Expected a value >= 1, but got " +
				strconv.FormatInt(n, 10) + " instead."}
	}
	return n, nil
}

// ReadObject reads an object as raw JSON.
func ReadObject(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	if r.Kind() != jsonr.Object {
		return "", WrongType(path, "an object", r.Kind())
	}
	return r.Value(), nil
}

// ReadList reads an array as raw JSON.
func ReadList(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	if r.Kind() != jsonr.Array {
		return "", WrongType(path, "an array of objects", r.Kind())
	}
	return r.Value(), nil
}

// NameIn returns the member "name" of an object, or "".
func NameIn(v ir.Raw) (name ir.Escaped) {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "name" {
			name, _ = jsonr.Text(r.Value())
		}
	}
	return name
}

// Arguments returns the arguments of a call in the history as an object. For blank text and null
// the result is {} (FAULTS 56). The model may have written text that is not an object. The
// conversation must not fail because of it, so jsonr.AppendObject wraps the text (FAULTS 57).
func Arguments(e ir.Escaped) ir.Raw {
	if e == "{}" || e == "null" || jsonr.IsBlank(e) {
		return "{}"
	}
	e = Unwrapped(e)
	return ir.Raw(jsonr.AppendObject(make([]byte, 0, len(e)+len(`{"invalid_arguments":""}`)), e))
}

// Unwrapped decodes arguments that a client encoded twice, as a JSON string that contains the
// object. JetBrains Koog (github.com/JetBrains/koog/issues/2095) and OpenClaw
// (github.com/openclaw/openclaw/pull/96717) sent such histories. Unwrapped returns all other
// arguments unchanged.
func Unwrapped(e ir.Escaped) ir.Escaped {
	// twice encoded arguments begin with an escaped quote, perhaps after an escaped line break
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

// ReadURL sets the source of an image or a file from a URL: an http or https URL, or a base64 data
// URL with a media type (RFC 2397). For any other URL ok is false, and s is unchanged. s refers to
// url.
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

// Vendor is the vendor that stores the files named by a file_id of either API.
const Vendor = "openai"

// ReadFile sets the source of a file from its file_data: a URL as in ReadURL, or plain base64.
// Plain base64 is a PDF if the file's name says so, or text if the content is text. Otherwise ok is
// false.
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

// ReadFileID sets the source of an image or a file from its id. field is the path of the id within
// its part.
func ReadFileID(c *ir.Content, id ir.Raw, field string) (err *ir.Error) {
	f := ir.File{Vendor: Vendor, Field: field}
	f.ID, err = Required(id, c.At, field)
	if err == nil && f.ID == "" {
		err = Missing(c.At.Path(field))
	}
	c.Source.File = &f
	return err
}

// ReadAudio reads the value of "input_audio", which is the same in both APIs.
func ReadAudio(c *ir.Content, v ir.Raw) *ir.Error {
	if jsonr.KindOf(v) != jsonr.Object {
		return Missing(c.At.Path(".input_audio"))
	}
	c.Kind, c.Raw = ir.AudioContent, v
	return nil
}

// NotURL returns the error for a URL that ReadURL does not accept.
func NotURL(path string) *ir.Error {
	return Invalid(path,
		"Invalid value: expected an http or https URL, or a base64-encoded data URL with a MIME type (e.g. "+
			"'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU=').")
}

// Grammar returns the "format" of a custom tool, or "" for a format without a constraint:
// {"type":"text"}, null.
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

// ToolMode returns the mode for the tool_choice "auto", "none" or "required". Any other word counts
// as "required".
func ToolMode(word ir.Escaped) ir.ToolMode {
	switch word {
	case "auto":
		return ir.ToolsAuto
	case "none":
		return ir.ToolsNone
	}
	return ir.ToolsRequired
}

// ToolChoice returns the tool_choice for a mode that needs no tool's name. It is the inverse of
// ToolMode.
func ToolChoice(mode ir.ToolMode) ir.Escaped {
	switch mode {
	case ir.ToolsAuto:
		return "auto"
	case ir.ToolsNone:
		return "none"
	}
	return "required"
}

// IsZero reports whether a number is 0, in any notation: 0, 0.0, -0, 0e5.
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

// IsTier reports whether OpenAI knows a service_tier.
func IsTier(tier ir.Escaped) bool {
	switch tier {
	case "auto", "default", "flex", "scale", "priority", "ultrafast":
		return true
	}
	return false
}
