package openai

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Embeddings is OpenAI's form of embeddings (API reference, "Create embeddings"), which most other
// vendors have too: Mistral, Voyage, Azure, Ollama, vLLM, Cloudflare's REST API.
var Embeddings = ir.Embeddings{Client: embeddings{}, Upstream: embeddings{}}

type embeddings struct{}

// EmbedPath returns the path of embeddings.
func (embeddings) EmbedPath(string, bool) string { return "/embeddings" }

// IsSingle returns false: every answer has a list.
func (embeddings) IsSingle(string) bool { return false }

// RenameModel replaces the last "model", the one that most JSON readers use.
func (embeddings) RenameModel(body, from, to string) (ir.Raw, *ir.Error) {
	value, at, _ := jsonr.LastMember(body, "model")
	var e jsonr.Edits
	if value != "" && from != to {
		e.Add(at, at+len(value), string(jsonw.AppendString(nil, to)))
	}
	return e.Apply(ir.Raw(body)), nil
}

// DecodeEmbed reads the body of POST /v1/embeddings. OpenAI uses "user" to detect abuse; no other
// vendor has it.
func (embeddings) DecodeEmbed(_, body string, lost *ir.Lost) (*ir.EmbedRequest, *ir.Error) {
	r := jsonr.NewReader(body)
	if r.Kind() != jsonr.Object {
		return nil, WrongType("", "an object", r.Kind())
	}
	q := &ir.EmbedRequest{InputPath: "input"}
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		if r.Kind() == jsonr.Null {
			continue
		}
		switch key := r.Key(); key {
		case "model":
			q.Model, err = ReadText(&r, key)
		case "input":
			err = readInput(&r, q)
		case "dimensions":
			if q.Dimensions, err = ReadPositive(&r, key); q.Dimensions > 0 {
				q.DimensionsPath = key
			}
		case "encoding_format":
			var format ir.Escaped
			format, err = ReadText(&r, key)
			if q.Base64 = format == "base64"; err == nil && !q.Base64 && format != "float" && format != "" {
				err = Unsupported(key, format, "float, base64")
			}
		default:
			lost.AddMember("", &r)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case q.Model == "":
		return nil, Missing("model")
	case len(q.Inputs) == 0 && q.TokensPath == "":
		return nil, Missing("input")
	}
	return q, nil
}

// readInput reads a text, a list of texts, a list of tokens, or a list of lists of tokens.
func readInput(r *jsonr.Reader, q *ir.EmbedRequest) *ir.Error {
	q.Inputs, q.TokensPath, q.Tokens = nil, "", 0 // of several members the last counts
	switch kind := r.Kind(); kind {
	case jsonr.String:
		text, _ := jsonr.Text(r.Value())
		q.Inputs = []ir.Escaped{text}
		return nil
	case jsonr.Array:
	default:
		return WrongType("input", "a string or an array", kind)
	}
	n := 0
	for r.OpenArray(); r.Element(); n++ {
		if n >= ir.MaxEmbedded && r.Kind() != jsonr.Number { // a list of tokens is one input
			return Invalid("input", "must have at most 2048 elements.")
		}
		switch kind := r.Kind(); {
		case kind == jsonr.String && q.TokensPath == "":
			text, _ := jsonr.Text(r.Value())
			q.Inputs = append(q.Inputs, text)
		case kind == jsonr.Number && len(q.Inputs) == 0:
			q.TokensPath = "input"
			q.Tokens++
			r.Value()
		case kind == jsonr.Array && len(q.Inputs) == 0:
			if q.TokensPath == "" {
				q.TokensPath = "input[0]"
			}
			q.Tokens += int64(r.Len())
			r.Value()
		default:
			want := "a string"
			if q.TokensPath != "" {
				want = "a list of tokens"
			}
			return WrongType("input["+strconv.Itoa(n)+"]", want, kind)
		}
	}
	return nil
}

// AppendEmbed appends the body of POST /embeddings. Voyage refuses "encoding_format":"float", the
// default of all servers (docs.voyageai.com, "Text embedding models").
func (embeddings) AppendEmbed(
	dst []byte, r *ir.EmbedRequest, t *ir.Target, lost *ir.Lost,
) ([]byte, *ir.Error) {
	if err := r.LoseTask(t, lost); err != nil {
		return dst, err
	}
	dst = jsonw.AppendTextMember(dst, `{"model":`, r.Model)
	dst = append(dst, `,"input":[`...)
	dst = AppendTexts(dst, r.Inputs)
	dst = append(dst, ']')
	if r.Dimensions > 0 {
		dst = jsonw.AppendIntMember(dst, `,"dimensions":`, r.Dimensions)
	}
	return append(dst, '}'), nil
}

// AppendTexts appends the elements of a list of texts.
func AppendTexts(dst []byte, texts []ir.Escaped) []byte {
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonw.AppendEscaped(dst, text)
	}
	return dst
}

// DecodeVectors reads an answer. The vectors may have any order; each names its input.
func (e embeddings) DecodeVectors(body string, n int) (v ir.Vectors, ok bool) {
	v = ir.Vectors{List: make([]ir.Raw, n), Input: -1}
	found := 0
	r := jsonr.NewReader(body)
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "data":
			for r.OpenArray(); r.Element(); found++ {
				vector, index := ir.Raw(""), int64(found)
				for r.OpenObject(); r.Member(); {
					switch r.Key() {
					case "embedding":
						vector = r.Value()
					case "index":
						index = jsonr.Count(r.Value())
					}
				}
				if index < 0 || index >= int64(n) || v.List[index] != "" {
					return v, false
				}
				v.List[index] = vector
			}
		case "usage":
			v.Input = e.EmbedTokens(string(r.Value()))
		}
	}
	return v, found == n
}

// EmbedTokens reads "usage". Voyage counts only total_tokens.
func (embeddings) EmbedTokens(usage string) (n int64) {
	n = -1
	r := jsonr.NewReader(usage)
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); {
		case key == "prompt_tokens":
			return jsonr.Count(r.Value())
		case key == "total_tokens":
			n = jsonr.Count(r.Value())
		}
	}
	return n
}

// AppendVectors appends the answer. OpenAI's vectors have the length 1, also with fewer dimensions
// ("Vector embeddings"), so vectors of another vendor with the client's number of dimensions get it.
func (embeddings) AppendVectors(dst []byte, r *ir.EmbedRequest, v *ir.Vectors) ([]byte, bool) {
	dst = append(dst, `{"object":"list","data":[`...)
	var numbers []float64
	for i, vector := range v.List {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonw.AppendIntMember(dst, `{"object":"embedding","index":`, int64(i))
		dst = append(dst, `,"embedding":`...)
		ok := false
		if r.Base64 || r.Dimensions > 0 {
			if numbers, ok = readVector(numbers[:0], vector); ok {
				dst = appendVector(dst, numbers, r)
			}
		} else {
			dst, ok = ir.AppendVector(dst, vector)
		}
		if !ok {
			return dst, false
		}
		dst = append(dst, '}')
	}
	dst = jsonw.AppendTextMember(dst, `],"model":`, r.Model)
	dst = jsonw.AppendIntMember(dst, `,"usage":{"prompt_tokens":`, v.Input)
	dst = jsonw.AppendIntMember(dst, `,"total_tokens":`, v.Input)
	return append(dst, `}}`...), true
}
