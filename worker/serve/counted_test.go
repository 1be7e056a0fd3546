package serve_test

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// These upstreams count 123 tokens of input (20 from a cache; Anthropic: 3 written to the cache)
// and 40 of output (7 of reasoning). Anthropic does not count reasoning.
const (
	countedInput  = 123
	countedOutput = 40
)

// plainOf has the plain answer of each upstream.
var plainOf = map[string]string{
	"anthropic": `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text",` +
		`"text":"ok"}],"stop_reason":"end_turn","stop_sequence":null,` +
		`"usage":{"input_tokens":100,"cache_read_input_tokens":20,"cache_creation_input_tokens":3,` +
		`"output_tokens":40}}`,
	"chat": `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],` +
		`"usage":` + chatUsage + `}`,
	"responses": `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m",` +
		`"output":[` + item("completed", `{"type":"output_text","text":"ok","annotations":[]}`) + `],` +
		`"usage":` + responsesUsage + `}`,
	"gemini": geminiEnd("ok"),
}

const (
	chatUsage = `{"prompt_tokens":123,"completion_tokens":40,"total_tokens":163,` +
		`"prompt_tokens_details":{"cached_tokens":20},"completion_tokens_details":{"reasoning_tokens":7}}`
	responsesUsage = `{"input_tokens":123,"input_tokens_details":{"cached_tokens":20},"output_tokens":40,` +
		`"output_tokens_details":{"reasoning_tokens":7},"total_tokens":163}`
)

func item(status, content string) string {
	return `{"id":"msg_1","type":"message","role":"assistant","status":"` + status + `","content":[` +
		content + `]}`
}

func geminiPart(text, more string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[{"text":"` + text + `"}]},"index":0` + more +
		`,"modelVersion":"upstream-model","responseId":"gem-1"}`
}

func geminiEnd(text string) string {
	return geminiPart(text,
		`,"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":123,"cachedContentTokenCount":20,`+
			`"candidatesTokenCount":33,"thoughtsTokenCount":7,"totalTokenCount":163}`)
}

// streamOf has the events of each upstream's stream. The first two are the beginning.
var streamOf = map[string][]string{
	"anthropic": named(
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m",`+
			`"content":[],"stop_reason":null,"stop_sequence":null,`+
			`"usage":{"input_tokens":100,"cache_read_input_tokens":20,"cache_creation_input_tokens":3,`+
			`"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ok"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},`+
			`"usage":{"output_tokens":40}}`,
		`{"type":"message_stop"}`),
	"chat": unnamed(
		chatDelta(`{"role":"assistant","content":""}`, "null"), chatDelta(`{"content":"ok"}`, "null"),
		chatDelta(`{}`, `"stop"`),
		`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":`+
			chatUsage+`}`, "[DONE]"),
	"responses": named(
		`{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response",`+
			`"created_at":1,"status":"in_progress","model":"m","output":[],"usage":null}}`,
		`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":`+
			item("in_progress", "")+`}`,
		`{"type":"response.content_part.added","sequence_number":2,"item_id":"msg_1","output_index":0,`+
			`"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}`,
		`{"type":"response.output_text.delta","sequence_number":3,"item_id":"msg_1","output_index":0,`+
			`"content_index":0,"delta":"ok"}`,
		`{"type":"response.output_text.done","sequence_number":4,"item_id":"msg_1","output_index":0,`+
			`"content_index":0,"text":"ok"}`,
		`{"type":"response.content_part.done","sequence_number":5,"item_id":"msg_1","output_index":0,`+
			`"content_index":0,"part":{"type":"output_text","text":"ok","annotations":[]}}`,
		`{"type":"response.output_item.done","sequence_number":6,"output_index":0,"item":`+
			item("completed", `{"type":"output_text","text":"ok","annotations":[]}`)+`}`,
		`{"type":"response.completed","sequence_number":7,"response":`+plainOf["responses"]+`}`),
	"gemini": unnamed(geminiPart("o", "}]"), geminiPart("k", "}]"), geminiEnd("ok")),
}

func chatDelta(delta, finish string) string {
	return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m",` +
		`"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}]}`
}

// named returns events with their types as names.
func named(events ...string) []string {
	for i, event := range events {
		events[i] = "event: " + gjson.Get(event, "type").Str + "\ndata: " + event + "\n\n"
	}
	return events
}

// unnamed returns events without names.
func unnamed(events ...string) []string {
	for i, event := range events {
		events[i] = "data: " + event + "\n\n"
	}
	return events
}

// asksToStream reports whether a request to an upstream asks for a stream.
func asksToStream(protocol string, r *sent) bool {
	if protocol == "gemini" {
		return strings.Contains(r.URL.Path, ":streamGenerateContent")
	}
	return gjson.Get(r.body, "stream").Bool()
}

// counted returns an upstream with the answers above. As at OpenAI, a Chat stream has its usage
// only if the request asks for usage.
func counted(protocol string) upstream {
	return func(r *sent) *reply {
		if asksToStream(protocol, r) {
			events := streamOf[protocol]
			if protocol == "chat" && !r.member("stream_options.include_usage").Bool() {
				events = slices.Delete(slices.Clone(events), len(events)-2, len(events)-1)
			}
			return streams(events...)(r)
		}
		return says(200, plainOf[protocol])(r)
	}
}
