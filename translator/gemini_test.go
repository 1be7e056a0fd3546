package translator_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// geminiRequest are the shapes of what reaches a Gemini upstream: GenerateContentRequest of the discovery document, as far as the translator writes it.
var geminiRequest = shapes{
	"request": "contents:[]content [systemInstruction]:instruction [tools]:[]offer [toolConfig]:choices [generationConfig]:config [safetySettings]:[]object [labels]:object " +
		"[store]:bool [serviceTier]:'flex'|'priority'",
	"content":     "role:'user'|'model' parts:[]part",
	"instruction": "parts:[]part",
	"part": "[text]:string [thought]:bool [thoughtSignature]:string [functionCall]:call [functionResponse]:result [inlineData]:data [fileData]:file " +
		"[executableCode]:object [codeExecutionResult]:object [toolCall]:object [toolResponse]:object",
	"call":     "name:string args:object [id]:string",
	"result":   "name:string response:object [id]:string [parts]:[]part",
	"data":     "mimeType:string data:string",
	"file":     "[mimeType]:string fileUri:string",
	"offer":    "[functionDeclarations]:[]function [googleSearch]:object [urlContext]:object [codeExecution]:object [googleMaps]:object [fileSearch]:object",
	"function": "name:string [description]:string [parametersJsonSchema]:object",
	"choices":  "[functionCallingConfig]:choice [includeServerSideToolInvocations]:bool",
	"choice":   "mode:'AUTO'|'ANY'|'NONE'|'VALIDATED' [allowedFunctionNames]:[]string",
	"config": "[maxOutputTokens]:integer [temperature]:number [topP]:number [topK]:number [presencePenalty]:number [frequencyPenalty]:number [seed]:integer " +
		"[stopSequences]:[]string [responseMimeType]:string [responseJsonSchema]:object [responseLogprobs]:bool [logprobs]:integer [thinkingConfig]:thinking " +
		"[mediaResolution]:string [speechConfig]:object [audioTimestamp]:bool",
	"thinking": "[includeThoughts]:bool [thinkingBudget]:integer [thinkingLevel]:'MINIMAL'|'LOW'|'MEDIUM'|'HIGH'|'NONE'|'XHIGH'|'MAX'",
}

// geminiShapes are the shapes of what a Gemini client gets: GenerateContentResponse of @google/genai, and google.rpc.Status.
var geminiShapes = shapes{
	"answer":    "candidates:[]candidate [usageMetadata]:usage modelVersion:string responseId:string",
	"candidate": "content:content [finishReason]:'STOP'|'MAX_TOKENS'|'SAFETY' index:integer [groundingMetadata]:grounding [logprobsResult]:logprobs",
	"content":   "role:'model' parts:[]part",
	"part":      "[text]:string [thought]:bool [thoughtSignature]:string [functionCall]:call [toolCall]:object [toolResponse]:object",
	"call":      "id:string name:string args:object",
	"usage": "promptTokenCount:integer [cachedContentTokenCount]:integer candidatesTokenCount:integer [thoughtsTokenCount]:integer totalTokenCount:integer " +
		"[serviceTier]:'standard'|'flex'|'priority'",
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

// checkGemini checks a stream of generateContent: chunks with one id, each with a part that says something or nothing, and a finishReason in the last one
// alone. Or an error, and nothing behind it.
func checkGemini(t *testing.T, frames []frame) {
	require.NotEmpty(t, frames)
	ended := false
	var id any
	for _, f := range frames {
		require.False(t, ended, f.data)
		require.Empty(t, f.name)
		if f.json["error"] != nil {
			fits(t, geminiShapes, "failure", f.json)
			require.NotEmpty(t, object(t, f.json, "error")["message"])
			ended = true
			continue
		}
		require.Empty(t, (&validator{shapes: geminiShapes}).object("answer", f.json), f.data)
		if id == nil {
			id = f.json["responseId"]
		}
		require.Equal(t, id, f.json["responseId"])
		candidates := f.json["candidates"].([]any)
		require.Len(t, candidates, 1)
		candidate := candidates[0].(map[string]any)
		parts := child(candidate, "content")["parts"].([]any)
		require.Len(t, parts, 1, "SDKs drop an answer from the history where a chunk has no part")
		require.NotEmpty(t, parts[0])
		ended = candidate["finishReason"] != nil
		require.Equal(t, ended, f.json["usageMetadata"] != nil || ended && f.json["usageMetadata"] == nil, "usage at the end")
	}
	require.True(t, ended)
}

// geminiParts returns the parts of all frames, without those that say nothing.
func geminiParts(frames []frame) (parts []map[string]any) {
	for _, f := range frames {
		candidates, _ := f.json["candidates"].([]any)
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

func (d *digest) readGemini(t *testing.T, frames []frame) {
	for _, part := range geminiParts(frames) {
		switch call := child(part, "functionCall"); {
		case call != nil:
			args, err := json.Marshal(call["args"])
			require.NoError(t, err)
			d.call(t, text(call, "name"), string(args))
		case part["thought"] == true:
			d.Reasoning += text(part, "text")
		default:
			d.Text += text(part, "text")
		}
	}
}

// wholeCalls returns want without the calls that were cut, where the client did not get them: Gemini has no form for these. They are the last one, and those
// in front of it that came beside it, whose arguments are no JSON. Arguments that are no object are inside one.
func wholeCalls(want, got []string) []string {
	want = slices.Clone(want)
	for i := len(want) - 1; i >= 0 && len(want) > len(got); i-- {
		if _, arguments, _ := strings.Cut(want[i], " "); i == len(want)-1 || !json.Valid([]byte(arguments)) {
			want = slices.Delete(want, i, i+1)
		}
	}
	if len(want) == 0 {
		return nil
	}
	for i := range want {
		if i < len(got) && strings.Contains(got[i], `{"invalid_arguments":`) {
			want[i] = got[i]
		}
	}
	return want
}

// checkContents sees that Google takes the contents of a request: the user's and the model's take turns, nothing is empty, and behind the calls of a turn stand
// as many results, in their order, and nothing else.
func checkContents(t *testing.T, contents []any, body []byte) {
	var calls []string
	for i, element := range contents {
		content := element.(map[string]any)
		model := content["role"] == "model"
		parts := content["parts"].([]any)
		require.NotEmpty(t, parts, "%s", body)
		require.False(t, i == 0 && model, "%s", body)
		var results, made []string
		for _, element := range parts {
			part := element.(map[string]any)
			require.NotEmpty(t, part, "%s", body)
			if said, ok := part["text"].(string); ok && part["thoughtSignature"] == nil {
				require.NotEmpty(t, said, "%s", body)
			}
			if call := child(part, "functionCall"); call != nil {
				require.True(t, model, "%s", body)
				made = append(made, text(call, "name"))
			}
			if result := child(part, "functionResponse"); result != nil {
				results = append(results, text(result, "name"))
			}
		}
		require.True(t, slices.Equal(calls, results), "calls and their results: %s", body)
		if len(results) > 0 {
			require.Len(t, parts, len(results), "%s", body)
		}
		calls = made
	}
	require.Empty(t, calls, "%s", body)
}
