package upstream

import (
	"strings"
	"unsafe"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/worker/endpoint"
)

// bodyFor returns the body of a request in the form that the upstream accepts at path. For Vertex
// AI, a version replaces the member "model", since the path names the model. For token counts the
// version is added to the body. The result is body itself or a new slice.
func bodyFor(u *endpoint.Upstream, path string, body []byte) []byte {
	if body == nil || !u.IsVertex() || u.API.Vertex.Version == "" {
		return body
	}
	version := u.API.Vertex.Version
	text := unsafe.String(unsafe.SliceData(body), len(body))
	value, at, ok := jsonr.LastMember(text, "model")
	if !ok || value == "" || path == u.API.Vertex.CountPath("") {
		return replaced(text, 0, strings.IndexByte(text, '{')+1, "{"+version+",")
	}
	end := at + len(value)
	colon := strings.LastIndexByte(text[:at], ':')
	closing := strings.LastIndexByte(text[:colon], '"')
	key := strings.LastIndexByte(text[:closing], '"') // no spelling of "model" has a quote inside
	return replaced(text, key, end, version)
}

// replaced returns text with text[from:to] replaced by other.
func replaced(text string, from, to int, other string) []byte {
	out := append(make([]byte, 0, len(text)+len(other)), text[:from]...)
	return append(append(out, other...), text[to:]...)
}

// vertexHint returns advice on an error of Vertex AI
// (docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude, "Before you
// begin"), or "" if the error's own message is enough.
func vertexHint(status int) string {
	switch status {
	case 401, 403:
		return "Give the service account the role Vertex AI User (roles/aiplatform.user) in the project " +
			"of the base URL, where the Vertex AI API has to be enabled. "
	case 404:
		return "Enable the model in the project's Model Garden, and ask for it by the name that stands " +
			"there, at a location that has it. "
	}
	return ""
}

// toldByVertex returns an error of Vertex AI with advice for the operator. It changes only a copy
// of err.
func toldByVertex(err *ir.Error) *ir.Error {
	hint := vertexHint(err.HTTPStatus())
	if hint == "" {
		return err
	}
	told := *err
	told.Message = "Vertex AI refuses the request. " + hint + "Its own words: " + err.Message
	return &told
}
