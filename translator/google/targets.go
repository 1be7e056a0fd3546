package google

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/target"
)

const (
	vertexHost = "aiplatform.googleapis.com"

	// maxStops is how many stop sequences the API accepts ("up to 5", Gemini API,
	// "GenerationConfig").
	maxStops = 5

	mlmh = "minimal low medium high"
	lmh  = "low medium high"

	// The facts that the models of one generation have in common.
	gemini2  = target.Unsigned | target.Search
	gemini25 = gemini2 | target.FileURLs | target.Budget | target.NoLogprobs | target.NoPenalties
	gemini3  = target.Search | target.FileURLs | target.AlwaysThinks | target.NoLogprobs | target.NoPenalties
	newest   = gemini3 | target.Anew | target.NoSampling
)

// Target returns the facts about model at the server host. The caller owns the result.
func Target(host, model string) *ir.Target {
	t := target.Find(host, model, 0, Targets[:])
	t.MaxStops, t.Files = maxStops, true
	t.VertexAI = target.IsHost(host, vertexHost)
	// Only the Gemini API says "Logprobs is not enabled for models/gemini-2.5-flash"
	// (googleapis/python-genai#1921)
	if t.VertexAI && t.UnsignedCalls {
		t.NoLogprobs = false
	}
	if !t.UnsignedCalls {
		t.ResultImages = ir.NativeImages
	}
	return t
}

// Targets lists the facts about Google's models, from Google's documentation or from error messages
// of its servers. Other providers of these models forward requests of this API to Google.
//
//   - Thinking: ai.google.dev/gemini-api/docs/thinking. Gemini 2.5 accepts a number of tokens, but
//     2.5 Pro does not accept 0. Later models accept a level ("Thinking level MINIMAL is not
//     supported for this model"). Gemini 3 Pro has no medium; 3.7 Flash and 3.8 Flash have no
//     minimal (BerriAI/litellm-docs#1505). Unknown models get no minimal either.
//   - Signatures of calls: ai.google.dev/gemini-api/docs/thought-signatures. Gemini 3 and later
//     reject a call without a signature. Earlier models accept such a call, and reject ids of calls,
//     images in a result, a format beside tools, and functions beside Google's own tools
//     (vercel/ai#13920).
//   - The end of the history: Gemini 3.6 and later, and 3.5 Flash-Lite, reject the beginning of an
//     answer ("Requests ending with a model turn are not supported.",
//     langchain-ai/langchain-google#1897, pipecat-ai/pipecat#5821); other models continue the answer.
//   - Sampling: the same models ignore temperature, topP and topK. Google says that later models will
//     reject these parameters (langchain-ai/langchain-google#1897).
//   - Penalties: only Gemini 2.0 accepts penalties ("Penalty is not enabled for this model",
//     vercel/ai#8943, SillyTavern/SillyTavern#3015).
//   - URLs: ai.google.dev/gemini-api/docs/file-input-methods, not for Gemini 2.0.
//   - Logprobs: "Unable to submit request because Logprobs is not supported for this model." since
//     Gemini 3 (GoogleCloudPlatform/generative-ai#2947).
//
// A model without a row gets what the newest models accept.
var Targets = [...]target.Row{
	{Efforts: lmh, Has: newest},
	{Model: "gemini-", Output: 65536, Efforts: lmh, Has: newest},
	{Model: "gemini-3-7 gemini-3-8 gemini-4", Output: 65536, Efforts: lmh, Has: newest},
	{Model: "gemini-3-6", Output: 65536, Efforts: mlmh, Has: newest},
	{Model: "gemini-3-5", Output: 65536, Efforts: mlmh, Has: gemini3},
	{Model: "gemini-3-5-flash-lite", Output: 65536, Efforts: mlmh, Has: newest},
	{Model: "gemini-3-1", Output: 65536, Efforts: lmh, Has: gemini3},
	{Model: "gemini-3-1-flash-lite", Output: 65536, Efforts: mlmh, Has: gemini3},
	{Model: "gemini-3-flash", Output: 65536, Efforts: mlmh, Has: gemini3},
	{Model: "gemini-3-pro", Output: 65536, Efforts: "low high", Has: gemini3},
	{Model: "gemini-2-5", Output: 65536, Efforts: "none " + mlmh, Has: gemini25},
	{Model: "gemini-2-5-pro", Output: 65536, Efforts: mlmh, Has: gemini25},
	{Model: "gemini-2-5-flash-image", Output: 32768, Has: gemini2 | target.NoLogprobs | target.NoPenalties},
	{Model: "gemini-2-5-flash-preview-tts", Output: 8192,
		Has: gemini2 | target.NoLogprobs | target.NoPenalties},
	{Model: "gemini-2-5-pro-preview-tts", Output: 8192,
		Has: gemini2 | target.NoLogprobs | target.NoPenalties},
	{Model: "gemini-2", Output: 8192, Has: gemini2},
	{Model: "gemini-1", Output: 8192, Has: target.Unsigned | target.NoPenalties},
	{Model: "gemma-", Has: target.Unsigned | target.NoLogprobs | target.NoPenalties},
}

// Runs reports whether the upstream of t runs a tool of a kind: Google's search, or reading
// webpages by the URLs in the prompt, which Gemini 2.0 lacks
// (ai.google.dev/gemini-api/docs/url-context, "Supported models").
func Runs(kind ir.ToolKind, t *ir.Target) bool {
	return t.WebSearch && (kind == ir.WebSearchTool || kind == ir.WebFetchTool && t.FileURLs)
}
