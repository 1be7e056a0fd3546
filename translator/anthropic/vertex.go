package anthropic

import "edgelingua/translator/ir"

// vertex holds the paths and the version of Claude at Vertex AI:
// docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude, and
// .../claude/count-tokens; the version:
// platform.claude.com/docs/build-with-claude/claude-on-vertex-ai.
var vertex = ir.Vertex{
	Path:      vertexPath,
	CountPath: vertexCountPath,
	Version:   `"anthropic_version":"vertex-2023-10-16"`,
}

// vertexCountPath is the same for all models: the body names the model.
func vertexCountPath(string) string { return "/publishers/anthropic/models/count-tokens:rawPredict" }

func vertexPath(model string, stream bool) string {
	path := "/publishers/anthropic/models/" + model
	if stream {
		return path + ":streamRawPredict"
	}
	return path + ":rawPredict"
}
