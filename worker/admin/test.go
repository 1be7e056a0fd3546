package admin

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/models"
	"edgelingua/worker/endpoint"
)

// maxExcerpt bounds an Excerpt, in bytes.
const maxExcerpt = 1000

// Trial is a test of an upstream, with its outcome.
type Trial struct {
	Upstream, Model string // Upstream "": the endpoint's only upstream; Model "": all models
	Draft           string // draft of the endpoint, a JSON object; "": the stored endpoint
	Models          []byte // the upstream's models, a JSON array; nil: not requested
	Status          int    // the upstream's status; 0: no answer
	Problem         string // error message, or ""
	Milliseconds    int64
}

// The members allowed in requests to test an upstream, and in requests for its models.
const (
	TestFields   = "upstream, model, draft"
	ModelsFields = "upstream, draft"
)

// Limits for the models in an answer: their number, and the bytes of a name.
const (
	maxModels    = 1000
	maxModelName = 256
)

// ReadTest reads a request to test an upstream. fields are the allowed members.
func ReadTest(body, fields string) (t Trial, err *Error) {
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
		case !strings.Contains(", "+fields+",", ", "+m.name+","):
			return t, noField(m.name, fields)
		case m.name == "draft":
			if !m.value.IsObject() {
				return t, bad("draft", "must be an object, with the settings of an endpoint.")
			}
			t.Draft = m.value.Raw
		case m.value.Type != gjson.String || strings.Trim(m.value.Str, ".") == "":
			// a name of dots would change the path
			return t, bad(m.name, "must be a name.")
		case m.name == "model":
			t.Model = m.value.Str
		default:
			t.Upstream = m.value.Str
		}
	}
	return t, nil
}

// Choose returns the upstream to test, and its index.
func (t *Trial) Choose(e *endpoint.Endpoint) (*endpoint.Upstream, int, *Error) {
	if t.Upstream == "" && len(e.Upstreams) == 1 {
		t.Upstream = e.Upstreams[0].Name
	}
	for i := range e.Upstreams {
		if e.Upstreams[i].Name == t.Upstream {
			return &e.Upstreams[i], i, nil
		}
	}
	return nil, 0, &Error{Status: http.StatusBadRequest,
		Message: "upstream must be the name of one of the endpoint's upstreams.", Path: "upstream"}
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
	if t.Models != nil {
		dst = append(appendName(dst, "models"), t.Models...)
	}
	return append(dst, "}\n"...)
}

// List sets Models to the names in an upstream's model list, or sets Problem if the list is
// invalid.
func (t *Trial) List(form *ir.Models, body string) {
	list, ok := models.DecodeList(form, body)
	if !ok {
		t.Problem = "The answer is no list of models."
		return
	}
	t.Models = []byte{'['}
	for i := 0; i < min(len(list), maxModels); i++ {
		if id := list[i].ID; len(id) > 0 && len(id) <= maxModelName {
			t.Models = append(append(append(t.Models, '"'), id...), `",`...)
		}
	}
	t.Models = append(trimComma(t.Models), ']')
}

// NoModels returns the problem of the body of an upstream's model list, or "".
func NoModels(body string) string {
	if jsonr.Check(body) != nil {
		return "The answer is no JSON, so there may be no such API at the upstream's url."
	}
	return ""
}

// Excerpt returns the part of an upstream's error body that is shown. The key must already be
// redacted.
func Excerpt(body string) string {
	if body == "" {
		return "The upstream says no more than its status."
	}
	return body[:min(len(body), maxExcerpt)]
}
