package upstream

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/worker/endpoint"
)

// vertexVersion is the member that stands in place of "model" in what Claude is sent at Vertex AI
// (platform.claude.com/docs/build-with-claude/claude-on-vertex-ai).
const vertexVersion = `"anthropic_version":"vertex-2023-10-16"`

// bodyFor returns the body of a request to an upstream as that upstream takes it, at a path. Claude at Vertex AI gets a version in place of the
// model, which the path names; where tokens are counted, beside it. body may be changed.
func bodyFor(u *endpoint.Upstream, path string, body []byte) []byte {
	if body == nil || !u.IsVertex() || u.API.KeyHeader == "" {
		return body
	}
	text := string(body)
	value, at, ok := jsonr.LastMember(text, "model")
	if !ok || value == "" || strings.HasSuffix(path, "/count-tokens:rawPredict") {
		before, rest, _ := strings.Cut(text, "{")
		return []byte(before + "{" + vertexVersion + "," + rest)
	}
	end := at + len(value)
	colon := strings.LastIndexByte(text[:at], ':')
	closing := strings.LastIndexByte(text[:colon], '"')
	key := strings.LastIndexByte(text[:closing], '"') // no spelling of "model" has a quote inside
	return []byte(text[:key] + vertexVersion + text[end:])
}

// vertexHint says what to do about an error of Vertex AI's (docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude, "Before
// you begin"), "" where its own words say it.
func vertexHint(status int) string {
	switch status {
	case 401, 403:
		return "Give the service account the role Vertex AI User (roles/aiplatform.user) in the project of the base URL, where the Vertex AI API has to be enabled. "
	case 404:
		return "Enable the model in the project's Model Garden, and ask for it by the name that stands there, at a location that has it. "
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
