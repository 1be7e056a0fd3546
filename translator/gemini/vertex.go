package gemini

import "edgelingua/translator/ir"

// vertex is how Vertex AI serves Gemini: docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference. It counts tokens at a
// path that names the model, for which ir.Vertex has no place.
var vertex = ir.Vertex{Path: vertexPath}

func vertexPath(model string, stream bool) string {
	return "/publishers/google" + modelPath(model, stream)
}
