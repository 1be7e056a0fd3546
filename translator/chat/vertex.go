package chat

import "edgelingua/translator/ir"

// vertex is how Vertex AI serves Gemini:
// docs.cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview.
var vertex = ir.Vertex{Path: vertexPath}

func vertexPath(string, bool) string { return "/endpoints/openapi/chat/completions" }
