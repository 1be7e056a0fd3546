package upstream

import (
	"strings"
	"unsafe"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/worker/endpoint"
)

// bodyFor returns the body of a request to an upstream as that upstream takes it, at a path. At
// Vertex AI a version stands in place of the model where the path names that; where tokens are
// counted, beside it.
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

// replaced returns text with other in place of text[from:to].
func replaced(text string, from, to int, other string) []byte {
	out := append(make([]byte, 0, len(text)+len(other)), text[:from]...)
	return append(append(out, other...), text[to:]...)
}

// vertexHint says what to do about an error of Vertex AI's
// (docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude, "Before you
// begin"), "" where its own words say it.
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

// toldByVertex returns an error of Vertex AI's with what its operator can do about it.
func toldByVertex(err *ir.Error) *ir.Error {
	hint := vertexHint(err.HTTPStatus())
	if hint == "" {
		return err
	}
	told := *err
	told.Message = "Vertex AI refuses the request. " + hint + "Its own words: " + err.Message
	return &told
}
