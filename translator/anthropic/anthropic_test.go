package anthropic

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// vendor is an answer with what Chat Completions never yields: signatures, opaque blocks, a stop sequence.
var vendor = []ir.Event{
	{Kind: ir.Start, ID: "msg_1", Usage: ir.Usage{Input: 3, CacheRead: -1, CacheWrite: -1, Output: 1}},
	{Kind: ir.BlockStart, Block: ir.ReasoningBlock},
	{Kind: ir.Delta, Delta: ir.TextDelta, Text: "hm"},
	{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: "c2ln"},
	{Kind: ir.BlockStop},
	{Kind: ir.BlockStart, Block: ir.RedactedBlock},
	{Kind: ir.Delta, Delta: ir.OpaqueDelta, Raw: `{"x":1}`},
	{Kind: ir.BlockStop},
	{Kind: ir.BlockStart, Block: ir.TextBlock},
	{Kind: ir.Delta, Delta: ir.CitationDelta, Raw: `{"x":1}`},
	{Kind: ir.Delta, Delta: ir.TextDelta, Text: "a"},
	{Kind: ir.BlockStop},
	{Kind: ir.Finish, Stop: ir.StopSequence, StopSequence: `E\n`, Usage: ir.Usage{Input: 3, CacheRead: 2, CacheWrite: 1, Output: 4}},
}

func TestEncoderOfVendorEvents(t *testing.T) {
	e := Client{}.NewEncoder(&ir.Request{}, "m")
	var out []byte
	for i := range vendor {
		out = e.AppendEvent(out, &vendor[i])
	}
	require.Equal(t, `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"a"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"E\n"},"usage":{"input_tokens":3,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"output_tokens":4}}

event: message_stop
data: {"type":"message_stop"}

`, string(out))
}

func TestFolderOfVendorEvents(t *testing.T) {
	f := Client{}.NewFolder(&ir.Request{}, "m", []byte("before"))
	for i := range vendor {
		f.Event(&vendor[i])
	}
	body, failure := f.Body()
	require.Nil(t, failure)
	require.Equal(t, `before{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[`+
		`{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"a"}],`+
		`"stop_reason":"stop_sequence","stop_sequence":"E\n",`+
		`"usage":{"input_tokens":3,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"output_tokens":4}}`, string(body))
}

func TestFolderOfAFailure(t *testing.T) {
	f := Client{}.NewFolder(&ir.Request{}, "m", []byte("before"))
	f.Event(&vendor[0])
	f.Event(&ir.Event{Kind: ir.Failure, Err: &ir.Error{Message: "x"}})
	body, failure := f.Body()
	require.Equal(t, "x", failure.Message)
	require.Equal(t, "before", string(body))
}

func TestAppendPath(t *testing.T) {
	for want, p := range map[string]ir.Pos{
		"messages[3].content":               {Message: 3, Block: -1, Part: -1},
		"messages[3].content[1]":            {Message: 3, Block: 1, Part: -1},
		"messages[3].content[1].content[0]": {Message: 3, Block: 1, Part: 0},
		"system":                            {Message: -1, Block: -1, Part: -1},
		"system[2]":                         {Message: -1, Block: 2, Part: -1},
	} {
		require.Equal(t, want, string(Client{}.AppendPath(nil, p)))
	}
}

// TestAppendErrorTypes lists the types by status (FAULTS 41).
func TestAppendErrorTypes(t *testing.T) {
	for status, want := range map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error",
		405: "invalid_request_error", 408: "timeout_error", 413: "request_too_large", 422: "invalid_request_error", 429: "rate_limit_error",
		500: "api_error", 502: "api_error", 503: "overloaded_error", 504: "timeout_error", 529: "overloaded_error",
	} {
		body := AppendError(nil, &ir.Error{Kind: ir.KindOfStatus(status), Message: "a\n\xff"})
		require.True(t, json.Valid(body))
		require.Equal(t, `{"type":"error","error":{"type":"`+want+`","message":"a\n`+"\uFFFD"+`"}}`, string(body), status)
	}
}
