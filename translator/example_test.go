package translator_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// A request, and a streamed answer in chunks.
func Example() {
	// a client of Messages, an upstream with Chat Completions
	pair, _ := translator.Lookup(translator.Anthropic, translator.Chat)
	x, refused := pair.Decode("/v1/messages",
		[]byte(`{"model":"m","max_tokens":99,"top_k":5,"stream":true,"messages":[{"role":"user",`+
			`"content":"Hi"}]}`))
	if refused != nil {
		log.Fatal(refused) // the client's fault, with the name of the field
	}
	body, refused := x.AppendRequest(nil, &ir.Target{}) // a server without known facts
	if refused != nil {
		log.Fatal(refused)
	}
	fmt.Printf("%s\nlost: %v\n\n", body, x.Lost.Paths())

	s := x.Stream()
	for _, chunk := range []string{"data: {\"choices\":[{\"delta\":{\"content\":\"Hel", "lo\"}}]}\n\n",
		"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"} {
		out, done := s.Push([]byte(chunk))
		os.Stdout.Write(out) // out is valid until the next call
		if done {
			break
		}
	}
	os.Stdout.Write(s.Close(nil))
	// Output:
	// {"model":"m","messages":[{"role":"user","content":"Hi"}],"max_tokens":99,"stream":true,"stream_options":{"include_usage":true}}
	// lost: [top_k]
	//
	// event: message_start
	// data: {"type":"message_start","message":{"id":"msg_unnamed_0_1","type":"message","role":"assistant","model":"m","container":null,"diagnostics":null,"content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0,"output_tokens_details":null,"server_tool_use":null,"cache_creation":null,"service_tier":null,"inference_geo":null,"speed":null}}}
	//
	// event: content_block_start
	// data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":[]}}
	//
	// event: content_block_delta
	// data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}
	//
	// event: content_block_stop
	// data: {"type":"content_block_stop","index":0}
	//
	// event: message_delta
	// data: {"type":"message_delta","delta":{"container":null,"stop_reason":"end_turn","stop_sequence":null,"stop_details":null},"usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0,"output_tokens_details":null,"server_tool_use":null}}
	//
	// event: message_stop
	// data: {"type":"message_stop"}
}

// A plain answer of a model with another name upstream.
func ExampleExchange_AppendBody() {
	pair, _ := translator.Lookup(translator.Chat, translator.Anthropic)
	x, refused := pair.Decode("/v1/chat/completions",
		[]byte(`{"model":"m","messages":[{"role":"user","content":"Hi"}]}`))
	if refused != nil {
		log.Fatal(refused)
	}
	x.Request.Model = jsonw.Escape("claude-opus-4-5")
	x.Request.Received = 1700000000 // the time of the answer, since the translator has no clock
	body, refused := x.AppendRequest(nil, &ir.Target{})
	if refused != nil {
		log.Fatal(refused)
	}
	fmt.Printf("%s\n", body)

	answer, failed := x.AppendBody(nil,
		[]byte(`{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-4-5",`+
			`"content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn",`+
			`"usage":{"input_tokens":8,"output_tokens":2}}`))
	if failed != nil {
		log.Fatal(failed)
	}
	fmt.Printf("%s\n", answer)
	fmt.Println("tokens:", x.Usage.Prompt(), x.Usage.Output)
	// Output:
	// {"model":"claude-opus-4-5","messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"max_tokens":32000}
	// {"id":"chatcmpl-msg_1","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":8,"completion_tokens":2,"total_tokens":10}}
	// tokens: 8 2
}

// An upstream's error in the client's form.
func ExampleExchange_UpstreamError() {
	pair, _ := translator.Lookup(translator.Anthropic, translator.Chat)
	x, refused := pair.Decode("/v1/messages",
		[]byte(`{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"Hi"}]}`))
	if refused != nil {
		log.Fatal(refused)
	}
	// the longest first; for upstreams that repeat their key in errors
	x.Secrets = func() []string { return []string{"sk-the-key-at-the-upstream"} }
	err := x.UpstreamError(401,
		[]byte(`{"error":{"message":"Wrong key sk-the-key-at-the-upstream.",`+
			`"type":"invalid_request_error","code":"invalid_api_key"}}`))
	fmt.Println(pair.Status(err), err.Kind)
	fmt.Printf("%s\n", pair.AppendError(nil, err))
	// Output:
	// 401 authentication
	// {"type":"error","error":{"type":"authentication_error","message":"Wrong key [key]."}}
}

// A stream that breaks off ends with an error of the client's protocol.
func ExampleStream_Close() {
	pair, _ := translator.Lookup(translator.Anthropic, translator.Chat)
	x, refused := pair.Decode("/v1/messages",
		[]byte(`{"model":"m","max_tokens":99,"stream":true,"messages":[{"role":"user","content":"Hi"}]}`))
	if refused != nil {
		log.Fatal(refused)
	}
	if _, refused = x.AppendRequest(nil, &ir.Target{}); refused != nil {
		log.Fatal(refused)
	}
	s := x.Stream()
	s.Push([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n"))
	os.Stdout.Write(s.Close(&ir.Error{Kind: ir.Unavailable,
		Message: "The connection to the upstream broke."}))
	fmt.Println("failed:", x.Failed)
	// Output:
	// event: error
	// data: {"type":"error","error":{"type":"api_error","message":"The connection to the upstream broke."}}
	//
	// failed: unavailable
}

// A server for clients of Messages that stream, with an upstream of Chat Completions.
func ExampleCopy() {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}]}\n\n")
		// the stream ends here, before the answer is complete
	}))
	defer upstream.Close()
	pair, _ := translator.Lookup(translator.Anthropic, translator.Chat)
	pair.OnError = func(e *ir.Error) { fmt.Println("log:", e.Kind, e) }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse := func(err error) {
			w.WriteHeader(pair.Status(err))
			w.Write(pair.AppendError(nil, err))
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 16<<20))
		if err != nil {
			refuse(&ir.Error{Kind: ir.TooLarge, Message: err.Error()})
			return
		}
		x, err := pair.Decode(r.URL.RequestURI(), body)
		if err != nil {
			refuse(err)
			return
		}
		if body, err = x.AppendRequest(nil, &ir.Target{}); err != nil {
			refuse(err)
			return
		}
		url := upstream.URL + pair.Path("m", x.Request.Stream)
		ask, _ := http.NewRequestWithContext(r.Context(), http.MethodPost, url, bytes.NewReader(body))
		answer, err := http.DefaultClient.Do(ask)
		if err != nil {
			refuse(&ir.Error{Kind: ir.Unavailable, Message: "The upstream can't be reached."})
			return
		}
		defer answer.Body.Close()
		if answer.StatusCode >= 300 {
			text, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
			refuse(x.UpstreamError(answer.StatusCode, text))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		err = translator.Copy(w, answer.Body, x.Stream())
		fmt.Println("copy:", err) // the client has the error already
	}))
	defer server.Close()
	answer, err := http.Post(server.URL+"/v1/messages", "application/json", strings.NewReader(
		`{"model":"m","max_tokens":99,"stream":true,"messages":[{"role":"user","content":"Hi"}]}`))
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	fmt.Printf("%s", text[bytes.LastIndex(text, []byte("event: ")):])
	// Output:
	// log: unavailable The upstream's stream ended before the answer was complete.
	// copy: The upstream's stream ended before the answer was complete.
	// event: error
	// data: {"type":"error","error":{"type":"api_error","message":"The upstream's stream ended before the answer was complete."}}
}

// Known facts of a server and a model decide the upstream's body.
func ExampleExchange_AppendRequest_known() {
	pair, _ := translator.Lookup(translator.Anthropic, translator.Chat)
	for _, at := range []struct{ host, model string }{{"api.openai.com", "gpt-5.5"}, {"localhost:8000",
		"qwen"}} {
		x, refused := pair.Decode("/v1/messages",
			[]byte(`{"model":"m","max_tokens":99,"thinking":{"type":"adaptive"},`+
				`"output_config":{"effort":"high"},"messages":[{"role":"user","content":"Hi"}]}`))
		if refused != nil {
			log.Fatal(refused)
		}
		x.Request.Model = jsonw.Escape(at.model)
		target := pair.Target(at.host, at.model)
		body, refused := x.AppendRequest(nil, target)
		if refused != nil {
			log.Fatal(refused)
		}
		fmt.Printf("%s\nlost: %v\n", body, x.Lost.Paths())
	}
	// Output:
	// {"model":"gpt-5.5","messages":[{"role":"user","content":"Hi"}],"max_completion_tokens":99,"reasoning_effort":"high"}
	// lost: []
	// {"model":"qwen","messages":[{"role":"user","content":"Hi"}],"max_tokens":99}
	// lost: [output_config.effort]
}

// A caller's own Target for an unknown server.
func ExampleExchange_AppendRequest_own() {
	pair, _ := translator.Lookup(translator.Anthropic, translator.Chat)
	x, refused := pair.Decode("/v1/messages",
		[]byte(`{"model":"m","max_tokens":500,"top_k":5,"thinking":{"type":"disabled"},`+
			`"messages":[{"role":"user","content":"Hi"}]}`))
	if refused != nil {
		log.Fatal(refused)
	}
	body, refused := x.AppendRequest(nil, &ir.Target{TopK: true, MaxOutputTokens: 300,
		ThinkingSwitch: ir.FlagSwitch})
	if refused != nil {
		log.Fatal(refused)
	}
	fmt.Printf("%s\nlost: %v\n", body, x.Lost.Paths())
	// Output:
	// {"model":"m","messages":[{"role":"user","content":"Hi"}],"max_tokens":300,"top_k":5,"enable_thinking":false}
	// lost: []
}
