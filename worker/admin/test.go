package admin

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/worker/endpoint"
)

// maxExcerpt bounds what is shown of an upstream's answer, in bytes.
const maxExcerpt = 1000

// Trial is a test of an upstream, and what came of it.
type Trial struct {
	Upstream, Model string // "": the only upstream; all models
	Status          int    // 0: no answer
	Problem         string // "": none
	Milliseconds    int64
}

// ReadTest reads a request to test an upstream.
func ReadTest(body string) (t Trial, err *Error) {
	v, err := bodyOf(body)
	if err != nil {
		return t, err
	}
	members, err := membersOf(v, "")
	if err != nil {
		return t, err
	}
	for _, m := range members {
		switch {
		case m.name != "upstream" && m.name != "model":
			return t, bad(m.name, "is no field. The fields are upstream and model.")
		case m.value.Type != gjson.String || strings.Trim(m.value.Str, ".") == "": // dots lead to another path
			return t, bad(m.name, "must be a name.")
		case m.name == "model":
			t.Model = m.value.Str
		default:
			t.Upstream = m.value.Str
		}
	}
	return t, nil
}

// Choose returns the upstream that is to be tested.
func (t *Trial) Choose(e *endpoint.Endpoint) (*endpoint.Upstream, *Error) {
	if t.Upstream == "" && len(e.Upstreams) == 1 {
		t.Upstream = e.Upstreams[0].Name
	}
	for i := range e.Upstreams {
		if e.Upstreams[i].Name == t.Upstream {
			return &e.Upstreams[i], nil
		}
	}
	return nil, &Error{http.StatusBadRequest, "upstream must be the name of one of the endpoint's upstreams.", "upstream"}
}

// Append appends what came of it.
func (t *Trial) Append(dst []byte) []byte {
	dst = jsonw.AppendString(append(dst, `{"upstream":`...), t.Upstream)
	dst = strconv.AppendBool(append(dst, `,"ok":`...), t.Problem == "")
	dst = strconv.AppendInt(append(dst, `,"status":`...), int64(t.Status), 10)
	dst = strconv.AppendInt(append(dst, `,"milliseconds":`...), t.Milliseconds, 10)
	if t.Problem != "" {
		dst = jsonw.AppendString(append(dst, `,"problem":`...), t.Problem)
	}
	return append(dst, "}\n"...)
}

// NoModels says what is wrong with a good answer to the question for models, if anything is.
func NoModels(body string) string {
	if jsonr.Check(body) != nil {
		return "The answer is no JSON, so there may be no such API at the upstream's url."
	}
	return ""
}

// Excerpt returns the beginning of an upstream's error, from which its key has been taken.
func Excerpt(body string) string {
	if body == "" {
		return "The upstream says no more than its status."
	}
	return body[:min(len(body), maxExcerpt)]
}
