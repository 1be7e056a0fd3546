package translator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/corpus/golden"
)

// checkAgree combines a client's stream as the client's SDK does, and compares the result with the
// plain answer, member by member. A failure must have the same message in both. No object of either
// may have a key twice. Differences by design:
//
//   - Messages: a streaming client gets a tool's input as the model wrote it, even if the input is
//     not a JSON object. A plain body can only hold an object, so the object contains the input
//     (golden.Plain).
//   - Chat: an answer without content has content null in chunks and "" in a body. A stream has
//     usage only if the client asked for usage and the upstream counted tokens. A body always has
//     usage, with 0 for unknown counts, since clients read usage without asking for it.
//   - If the translator watches for stop sequences, a stream ends at the sequence, without the
//     usage, which the upstream sends last.
func checkAgree(t *testing.T, x *translator.Exchange, stream, body []byte, failure *ir.Error) {
	frames := answers.Frames(t, answers.HalvesKept(stream))
	for _, f := range frames {
		if f.JSON != nil {
			answers.CheckKeys(t, []byte(f.Data))
		}
	}
	client := x.Request.API.Name
	require.Equal(t, failure != nil, isFailure(x, frames), "%s\n%s", stream, body)
	if failure != nil {
		want := answers.Decoded(t, translator.API(client).Client.AppendError(nil, failure))
		got := frames[len(frames)-1].JSON
		if client == "responses" {
			got = map[string]any{"error": frames[len(frames)-2].JSON["error"]}
		}
		delete(got, "event_type")
		require.Equal(t, want, got)
		return
	}
	said, err := golden.Plain(client, stream)
	require.NoError(t, err, "%s", stream)
	want, got := answers.Decoded(t, answers.HalvesKept(body)), answers.Decoded(t, answers.HalvesKept(said))
	switch client {
	case "anthropic":
		// Without a count by the upstream, the stream has an estimate.
		if child(want, "usage")["input_tokens"] == 0.0 {
			child(got, "usage")["input_tokens"] = 0.0
		}
	case "chat":
		for _, answer := range []map[string]any{want, got} {
			message := child(answer["choices"].([]any)[0].(map[string]any), "message")
			if message["content"] == "" {
				message["content"] = nil
			}
		}
		counted := answers.Number(t, child(want, "usage"), "total_tokens") > 0
		if got["usage"] == nil && !(counted && x.Request.StreamUsage) {
			got["usage"] = want["usage"]
		}
	case "interactions":
		delete(want, "id")
		delete(got, "id")
	case "gemini": // segments of sources have byte offsets in the whole text
		for _, answer := range []map[string]any{want, got} {
			candidate := answer["candidates"].([]any)[0].(map[string]any)
			supports, _ := child(candidate, "groundingMetadata")["groundingSupports"].([]any)
			for _, support := range supports {
				segment := child(support.(map[string]any), "segment")
				for _, key := range []string{"startIndex", "endIndex", "partIndex"} {
					delete(segment, key)
				}
			}
		}
	}
	if x.WatchesStops() {
		for _, key := range []string{"usage", "usageMetadata"} {
			if delete(got, key); want[key] != nil {
				got[key] = want[key]
			}
		}
	}
	require.Equal(t, want, got)
}
