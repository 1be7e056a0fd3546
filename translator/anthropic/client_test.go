package anthropic

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
)

// vendor is an answer with blocks that Chat Completions never has.
var vendor = []ir.Event{
	{Kind: ir.Start, ID: "msg_1", Usage: ir.Usage{Input: 3, CacheRead: -1, CacheWrite: -1, Output: 1}},
	{Kind: ir.BlockStart, Block: ir.ReasoningBlock},
	{Kind: ir.Delta, Delta: ir.TextDelta, Text: "hm"},
	{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: "c2ln", Origin: "anthropic"},
	{Kind: ir.BlockStop},
	{Kind: ir.BlockStart, Block: ir.ReasoningBlock, ID: "rs_1"},
	{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: "Z0FB", Origin: "responses"},
	{Kind: ir.BlockStop},
	{Kind: ir.BlockStart, Block: ir.RedactedBlock},
	{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: "ZGF0", Origin: "anthropic"},
	{Kind: ir.BlockStop},
	{Kind: ir.BlockStart, Block: ir.RedactedBlock, ID: "rs_2"},
	{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: "Z0FC", Origin: "responses"},
	{Kind: ir.BlockStop},
	{Kind: ir.BlockStart, Block: ir.WebSearchBlock, ID: "ws-1"},
	{Kind: ir.Delta, Delta: ir.TextDelta, Text: `a \"b\"`},
	{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &ir.Citation{URL: "https://a", Title: "A"}},
	{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &ir.Citation{URL: "https://b"}},
	{Kind: ir.BlockStop},
	{Kind: ir.BlockStart, Block: ir.ServerToolBlock},
	{Kind: ir.Delta, Delta: ir.OpaqueDelta, Raw: `{"type":"container_upload","file_id":"f"}`},
	{Kind: ir.BlockStop},
	{Kind: ir.BlockStart, Block: ir.CustomToolCallBlock, CallID: "c", Name: "n"},
	{Kind: ir.Delta, Delta: ir.TextDelta, Text: "x"},
	{Kind: ir.BlockStop},
	{Kind: ir.BlockStart, Block: ir.TextBlock},
	{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &ir.Citation{URL: "https://a", Title: "A",
		Quote: "q"}},
	{Kind: ir.Delta, Delta: ir.TextDelta, Text: "a"},
	{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &ir.Citation{Raw: `{"type":"char_location"}`}},
	{Kind: ir.BlockStop},
	{Kind: ir.Finish, Stop: ir.StopSequence, StopSequence: `E\n`, Usage: ir.Usage{Input: 3, CacheRead: 2,
		CacheWrite: 1, Output: 4, Reasoning: 2}},
}

// blocks are the same as elements of "content".
const blocks = `{"type":"thinking","thinking":"hm","signature":"c2ln"},` +
	`{"type":"thinking","thinking":"","signature":"el1:responses:t:rs_1:Z0FB"},` +
	`{"type":"redacted_thinking","data":"ZGF0"},` +
	`{"type":"thinking","thinking":"","signature":"el1:responses:r:rs_2:Z0FC"},` +
	`{"type":"server_tool_use","id":"srvtoolu_el1_ws_1","name":"web_search","input":{"query":"a \"b\""},"caller":{"type":"direct"}},` +
	`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_el1_ws_1","content":[` +
	`{"type":"web_search_result","encrypted_content":"","page_age":null,"title":"A","url":"https://a"},` +
	`{"type":"web_search_result","encrypted_content":"","page_age":null,"title":"","url":"https://b"}],"caller":{"type":"direct"}},` +
	`{"type":"container_upload","file_id":"f"},` +
	`{"type":"text","text":"a","citations":[` +
	`{"type":"web_search_result_location","cited_text":"q","encrypted_index":"","title":"A",` +
	`"url":"https://a"},{"type":"char_location"}]}`

// TestEncoderOfVendorEvents joins the stream like the SDK: the result must equal a plain body.
func TestEncoderOfVendorEvents(t *testing.T) {
	stream := &irtest.Stream{Encoder: Client{}.NewEncoder(&ir.Request{}, "m")}
	checked := irtest.Check(t, stream)
	irtest.Send(checked, vendor...)
	checked.RequireEnd()
	var content []map[string]any
	input, ended := "", ""
	for _, frame := range strings.Split(strings.TrimSuffix(string(stream.Out), "\n\n"), "\n\n") {
		_, data, ok := strings.Cut(frame, "\ndata: ")
		require.True(t, ok)
		var ev struct {
			Type         string
			Index        int
			ContentBlock map[string]any `json:"content_block"`
			Delta        map[string]any
		}
		require.NoError(t, json.Unmarshal([]byte(data), &ev))
		switch ev.Type {
		case "content_block_start":
			require.Len(t, content, ev.Index)
			content, input = append(content, ev.ContentBlock), ""
		case "content_block_delta":
			block := content[ev.Index]
			switch ev.Delta["type"] {
			case "text_delta":
				block["text"] = block["text"].(string) + ev.Delta["text"].(string)
			case "thinking_delta":
				block["thinking"] = block["thinking"].(string) + ev.Delta["thinking"].(string)
			case "signature_delta":
				block["signature"] = ev.Delta["signature"]
			case "citations_delta":
				list, _ := block["citations"].([]any)
				block["citations"] = append(list, ev.Delta["citation"])
			case "input_json_delta":
				input += ev.Delta["partial_json"].(string)
				var value any
				require.NoError(t, json.Unmarshal([]byte(input), &value))
				block["input"] = value
			}
		case "message_delta", "message_stop":
			ended += data
		}
	}
	whole, err := json.Marshal(content)
	require.NoError(t, err)
	require.JSONEq(t, "["+blocks+"]", string(whole))
	require.Equal(t,
		`{"type":"message_delta","delta":{"container":null,"stop_reason":"stop_sequence",`+
			`"stop_sequence":"E\n","stop_details":null},"usage":`+counts+`}}{"type":"message_stop"}`, ended)
}

const counts = `{"input_tokens":3,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,` +
	`"output_tokens":4,"output_tokens_details":{"thinking_tokens":2},"server_tool_use":null`

func TestFolderOfVendorEvents(t *testing.T) {
	f := Client{}.NewPlainEncoder(&ir.Request{}, "m", []byte("before"))
	irtest.Send(f, vendor...)
	body, failure := f.Body()
	require.Nil(t, failure)
	require.Equal(t,
		`before{"id":"msg_1","type":"message","role":"assistant","model":"m","container":null,`+
			`"diagnostics":null,"content":[`+blocks+
			`],"stop_reason":"stop_sequence","stop_sequence":"E\n","stop_details":null,"usage":`+counts+
			`,"cache_creation":null,"service_tier":null,"inference_geo":null,"speed":null}}`, string(body))
}

// TestTierOfTheEnd: message_delta corrects the tier of message_start. If the API has no name for the
// tier of the end, the correction is null, as in a plain body.
func TestTierOfTheEnd(t *testing.T) {
	for _, c := range []struct {
		start, end ir.Tier
		corrected  string
	}{
		{ir.NoTier, ir.NoTier, ""},
		{ir.PriorityTier, ir.PriorityTier, ""},
		{ir.NoTier, ir.PriorityTier, `,"service_tier":"priority"`},
		{ir.PriorityTier, ir.DefaultTier, `,"service_tier":"standard"`},
		{ir.PriorityTier, ir.FlexTier, `,"service_tier":null`},
		{ir.DefaultTier, ir.OtherTier, `,"service_tier":null`},
		{ir.FlexTier, ir.OtherTier, ""},
		{ir.FastTier, ir.FastTier, ""},
		{ir.DefaultTier, ir.FastTier, `,"speed":"fast"`},
		{ir.NoTier, ir.FastTier, `,"service_tier":"standard","speed":"fast"`},
		{ir.FastTier, ir.DefaultTier, `,"speed":null`},
		{ir.FastTier, ir.FlexTier, `,"service_tier":null,"speed":null`},
	} {
		e := Client{}.NewEncoder(&ir.Request{}, "m")
		e.AppendEvent(nil, &ir.Event{Kind: ir.Start, Tier: c.start})
		end := string(e.AppendEvent(nil, &ir.Event{Kind: ir.Finish, Stop: ir.EndTurn, Tier: c.end}))
		require.Contains(t, end, `"server_tool_use":null`+c.corrected+"}}", "%v, then %v", c.start, c.end)
	}
}

func TestFolderOfAFailure(t *testing.T) {
	f := Client{}.NewPlainEncoder(&ir.Request{}, "m", []byte("before"))
	f.Event(&vendor[0])
	f.Event(&ir.Event{Kind: ir.Failure, Err: &ir.Error{Message: "x"}})
	body, failure := f.Body()
	require.Equal(t, "x", failure.Message)
	require.Equal(t, "before", string(body))
}

// TestAppendErrorTypes lists the types by status (FAULTS 41).
func TestAppendErrorTypes(t *testing.T) {
	for status, want := range map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 402: "billing_error",
		403: "permission_error", 404: "not_found_error",
		405: "invalid_request_error", 408: "timeout_error", 413: "request_too_large",
		422: "invalid_request_error", 429: "rate_limit_error",
		500: "api_error", 502: "api_error", 503: "overloaded_error", 504: "timeout_error",
		529: "overloaded_error",
	} {
		body := Client{}.AppendError(nil, &ir.Error{Kind: ir.KindOfStatus(status), Message: "a\n\xff"})
		require.True(t, json.Valid(body))
		require.Equal(t, `{"type":"error","error":{"type":"`+want+`","message":"a\n`+"\uFFFD"+`"}}`,
			string(body), status)
	}
}

// TestOverflow covers servers' messages for a request that does not fit, and the messages for
// clients of this API.
func TestOverflow(t *testing.T) {
	for words, want := range map[string]string{
		"prompt is too long: 5 tokens > 4 maximum":                                              "",
		"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease": "",
		"'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length " +
			"is 32768 tokens and your request has 9000 input tokens (32000 > " +
			"32768 - 9000).": "input length and `max_tokens` exceed context limit: 9000 + 32000 > 32768",
		"This model's maximum context length is 131072 tokens. However, you requested 139000 tokens " +
			"(107000 in the messages, 32000 in the completion). Please": "input length and `max_tokens` " +
			"exceed context limit: 107000 + 32000 > 131072",
		"This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 " +
			"tokens (140000 of text input, 10000 in the output). Please": "prompt is too long: 150000 " +
			"tokens > 131072 maximum",
		"maximum context length of 8192 tokens. You requested a total of 9000 tokens: 8000 tokens from " +
			"the input messages and 1000 tokens for the completion.": "prompt is too long: maximum",
		"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 " +
			"tokens. Please": "prompt is too long: 9000 tokens > 8192 maximum",
		"This model's maximum context length is 8192 tokens. However, your request has 9000 input " +
			"tokens. Please": "prompt is too long: 9000 tokens > 8192 maximum",
		"The input (9000 tokens) is longer than the model's context length " +
			"(8192 tokens).": "prompt is too long: 9000 tokens > 8192 maximum",
		"request (9000 tokens) exceeds the available context size (8192 tokens), try " +
			"increasing it": "prompt is too long: 9000 tokens > 8192 maximum",
		"This model's maximum prompt length is 8192 but the request contains " +
			"9000 tokens.": "prompt is too long: 9000 tokens > 8192 maximum",
		"The input token count (9000) exceeds the maximum number of tokens " +
			"allowed (8192).": "prompt is too long: 9000 tokens > 8192 maximum",
		"Your request exceeded model " +
			"token limit: 8192": "prompt is too long: Your",
	} {
		got := string(appendOverflow(nil, words))
		require.True(t, strings.HasPrefix(got, want), "%s: %s", words, got)
		require.Contains(t, got, words)
		if want == "" {
			require.Equal(t, words, got)
		}
	}
}
