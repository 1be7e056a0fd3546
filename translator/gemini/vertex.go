package gemini

import "edgelingua/translator/ir"

// vertex is how Vertex AI serves Gemini:
// docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference and
// .../count-tokens.
var vertex = ir.Vertex{Path: vertexPath, CountPath: vertexCountPath}

const vertexPublisher = "/publishers/google"

func vertexPath(model string, stream bool) string {
	return vertexPublisher + modelPath(model, stream)
}

func vertexCountPath(model string) string { return vertexPublisher + countPath(model) }
