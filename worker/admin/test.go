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

// maxExcerpt bounds an Excerpt, in bytes.
const maxExcerpt = 1000

// Trial is a test of an upstream, and its outcome.
type Trial struct {
	Upstream, Model string // Upstream "": the only one there is; Model "": all models
	Status          int    // the upstream's; 0: it did not answer
	Problem         string // what is wrong, in words; "": nothing
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
	return nil, &Error{Status: http.StatusBadRequest, Message: "upstream must be the name of one of the endpoint's upstreams.", Path: "upstream"}
}

// Append appends the trial as the JSON body of the answer.
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

// NoModels returns what is wrong with the body of an upstream's list of models, "" for nothing.
func NoModels(body string) string {
	if jsonr.Check(body) != nil {
		return "The answer is no JSON, so there may be no such API at the upstream's url."
	}
	return ""
}

// Excerpt returns what is shown of the body of an upstream's error, from which the key was taken out.
func Excerpt(body string) string {
	if body == "" {
		return "The upstream says no more than its status."
	}
	return body[:min(len(body), maxExcerpt)]
}
