package translator_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/answers"
)

// geminiRequest are the shapes of a Gemini upstream's request: the part of GenerateContentRequest
// in the discovery document that the translator writes.
var geminiRequest = answers.Shapes{
	"request": "contents:[]content [systemInstruction]:instruction [tools]:[]offer [toolConfig]:choices " +
		"[generationConfig]:config [safetySettings]:[]object [labels]:object " +
		"[store]:bool [serviceTier]:'flex'|'priority'",
	"content":     "role:'user'|'model' parts:[]part",
	"instruction": "parts:[]part",
	"part": "[text]:string [thought]:bool [thoughtSignature]:string [functionCall]:call " +
		"[functionResponse]:result [inlineData]:data [fileData]:file " +
		"[executableCode]:object [codeExecutionResult]:object [toolCall]:object [toolResponse]:object",
	"call":   "name:string args:object [id]:string",
	"result": "name:string response:object [id]:string [parts]:[]part",
	"data":   "mimeType:string data:string",
	"file":   "[mimeType]:string fileUri:string",
	"offer": "[functionDeclarations]:[]function [googleSearch]:object [urlContext]:object " +
		"[codeExecution]:object [googleMaps]:object [fileSearch]:object",
	"function": "name:string [description]:string [parametersJsonSchema]:object",
	"choices":  "[functionCallingConfig]:choice [includeServerSideToolInvocations]:bool",
	"choice":   "mode:'AUTO'|'ANY'|'NONE'|'VALIDATED' [allowedFunctionNames]:[]string",
	"config": "[maxOutputTokens]:integer [temperature]:number [topP]:number [topK]:number " +
		"[presencePenalty]:number [frequencyPenalty]:number [seed]:integer " +
		"[stopSequences]:[]string [responseMimeType]:string [responseJsonSchema]:object " +
		"[responseLogprobs]:bool [logprobs]:integer [thinkingConfig]:thinking " +
		"[mediaResolution]:string [speechConfig]:object [audioTimestamp]:bool",
	"thinking": "[includeThoughts]:bool [thinkingBudget]:integer " +
		"[thinkingLevel]:'MINIMAL'|'LOW'|'MEDIUM'|'HIGH'|'NONE'|'XHIGH'|'MAX'",
}

func (d *digest) readGemini(t *testing.T, frames []answers.Frame) {
	for _, part := range answers.GeminiParts(frames) {
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

// wholeCalls returns want without cut calls that the client did not get, because Gemini has no form
// for them. A cut call is the last call, or an earlier parallel call with invalid JSON as
// arguments. Arguments other than an object are wrapped in an object.
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

// checkContents checks that Google accepts the contents of a request: user and model alternate,
// nothing is empty, and the calls of a turn are followed by as many results, in the same order, and
// by nothing else.
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
