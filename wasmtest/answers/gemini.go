package answers

import (
	"strings"

	"github.com/stretchr/testify/require"
)

// geminiShapes are the shapes of the answers of Gemini: GenerateContentResponse of @google/genai,
// and google.rpc.Status.
var geminiShapes = Shapes{
	"answer": "candidates:[]candidate usageMetadata:object modelVersion:string responseId:string",
	"candidate": "content:content [finishReason]:'STOP'|'MAX_TOKENS'|'SAFETY' index:integer " +
		"[groundingMetadata]:grounding [logprobsResult]:logprobs",
	"content": "role:'model' parts:[]part",
	"part": "[text]:string [thought]:bool [thoughtSignature]:string [functionCall]:call " +
		"[toolCall]:object [toolResponse]:object",
	"call": "id:string name:string args:object",
	"usage": "promptTokenCount:integer [cachedContentTokenCount]:integer candidatesTokenCount:integer " +
		"[thoughtsTokenCount]:integer totalTokenCount:integer " +
		"[serviceTier]:'standard'|'flex'|'priority' ...", // Google's own answers have more
	"grounding": "[webSearchQueries]:[]string [groundingChunks]:[]source [groundingSupports]:[]support",
	"source":    "web:web",
	"web":       "uri:string [title]:string",
	"support":   "[segment]:segment groundingChunkIndices:[]integer",
	"segment":   "[partIndex]:integer startIndex:integer endIndex:integer text:string",
	"logprobs":  "chosenCandidates:[]likely topCandidates:[]likeliest",
	"likeliest": "candidates:[]likely",
	"likely":    "token:string logProbability:number",
	"failure":   "error:error",
	"error":     "code:integer message:string status:string [details]:[]object",
}

// checkGemini checks a stream of generateContent. All chunks have the same id and exactly one part,
// which may be an empty text. Only the last chunk has a finishReason. A stream may also end with an
// error, followed by nothing. Each chunk has usageMetadata, as BAML requires; only the last one has
// counts, and only if they are known. No chunk before the first text or call is an empty text with another
// vendor's envelope: SDKs skip such a chunk.
func checkGemini(t T, frames []Frame) {
	require.NotEmpty(t, frames)
	ended := false
	var id any
	enveloped := "" // an envelope without a text, and nothing after it
	for _, f := range frames {
		require.False(t, ended, f.Data)
		require.Empty(t, f.Name)
		if f.JSON["error"] != nil {
			fits(t, geminiShapes, "failure", f.JSON)
			require.NotEmpty(t, object(t, f.JSON, "error")["message"])
			ended = true
			continue
		}
		require.Empty(t, (&Validator{Shapes: geminiShapes}).Misfit("answer", f.JSON), f.Data)
		if id == nil {
			id = f.JSON["responseId"]
		}
		require.Equal(t, id, f.JSON["responseId"])
		candidates := f.JSON["candidates"].([]any)
		require.Len(t, candidates, 1)
		candidate := candidates[0].(map[string]any)
		parts := child(candidate, "content")["parts"].([]any)
		require.Len(t, parts, 1, "SDKs drop an answer from the history where a chunk has no part")
		require.NotEmpty(t, parts[0])
		enveloped = checkEnvelope(t, enveloped, parts[0].(map[string]any))
		ended = candidate["finishReason"] != nil
		if usage := object(t, f.JSON, "usageMetadata"); len(usage) > 0 {
			require.True(t, ended, "usage at the end")
			require.Empty(t, (&Validator{Shapes: geminiShapes}).Misfit("usage", usage), f.Data)
		}
	}
	require.True(t, ended)
}

// checkEnvelope checks a part after the envelope in a part of its own that is before, "" for none. It
// returns the part's signature if the part has nothing else but an envelope.
func checkEnvelope(t T, before string, part map[string]any) string {
	if part["text"] != "" {
		require.Empty(t, before, "an envelope without a text precedes %v", part)
	}
	signature, _ := part["thoughtSignature"].(string)
	if part["text"] != "" || part["thought"] == true || !strings.HasPrefix(signature, "ZWwx") {
		return before
	}
	return signature
}

// GeminiParts returns the parts of all frames, without empty texts.
func GeminiParts(frames []Frame) (parts []map[string]any) {
	for _, f := range frames {
		candidates, _ := f.JSON["candidates"].([]any)
		for _, candidate := range candidates {
			list, _ := child(candidate.(map[string]any), "content")["parts"].([]any)
			for _, element := range list {
				if part := element.(map[string]any); len(part) > 1 || part["text"] != "" {
					parts = append(parts, part)
				}
			}
		}
	}
	return parts
}
