package serve_test

import (
	"encoding/json"
	"strings"

	"edgelingua/wasmtest/vendors"
)

// jsonOf returns a value as JSON. A string that is not valid UTF-8 must not be in it.
func jsonOf(value any) string {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// protocols are the APIs whose clients send everything in the body of a request.
var protocols = []string{"anthropic", "chat", "responses"}

// answerPaths are the paths at which clients of these APIs ask for answers.
var answerPaths = map[string]string{"anthropic": "/v1/messages", "chat": "/v1/chat/completions",
	"responses": "/v1/responses"}

// smallestOf returns the smallest request of a client, with more members.
func smallestOf(client string, more object) string {
	o := object{"model": "m"}
	switch client {
	case "anthropic":
		o["max_tokens"], o["messages"] = 64, list{object{"role": "user", "content": "hi"}}
	case "chat":
		o["messages"] = list{object{"role": "user", "content": "hi"}}
	case "responses":
		o["input"] = "hi"
	case "gemini":
		o = object{"contents": list{object{"role": "user", "parts": list{object{"text": "hi"}}}}}
	}
	for name, value := range more {
		if client != "gemini" || name != "model" && name != "stream" {
			o[name] = value
		}
	}
	return jsonOf(o)
}

// pathOf returns the path at which a client asks a model for an answer.
func pathOf(client, model string, stream bool) string {
	switch {
	case client != "gemini":
		return answerPaths[client]
	case stream:
		return "/v1beta/models/" + model + ":streamGenerateContent?alt=sse"
	}
	return "/v1beta/models/" + model + ":generateContent"
}

// plainAnswers are plain answers of upstreams with the text "ok". Each states 123 tokens of input,
// 20 of them cached, and 40 of output.
var plainAnswers = map[string]string{
	"anthropic": `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text",` +
		`"text":"ok"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":100,` +
		`"cache_read_input_tokens":20,"cache_creation_input_tokens":3,"output_tokens":40}}`,
	"chat": `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m",` +
		`"choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],` +
		`"usage":` + usageOfChat + `}`,
	"responses": `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m",` +
		`"output":[` + responsesItem + `],"usage":` + usageOfResponses + `}`,
}

const (
	usageOfChat = `{"prompt_tokens":123,"completion_tokens":40,"total_tokens":163,` +
		`"prompt_tokens_details":{"cached_tokens":20},"completion_tokens_details":{"reasoning_tokens":7}}`
	responsesItem = `{"id":"msg_1","type":"message","role":"assistant","status":"completed",` +
		`"content":[{"type":"output_text","text":"ok","annotations":[]}]}`
	usageOfResponses = `{"input_tokens":123,"input_tokens_details":{"cached_tokens":20},` +
		`"output_tokens":40,"output_tokens_details":{"reasoning_tokens":7},"total_tokens":163}`
)

// streamedAnswers are the same answers as streams, one event per element.
var streamedAnswers = map[string][]string{
	"anthropic": modelNamed(
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m",`+
			`"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":100,`+
			`"cache_read_input_tokens":20,"cache_creation_input_tokens":3,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ok"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},`+
			`"usage":{"output_tokens":40}}`,
		`{"type":"message_stop"}`,
	),
	"chat": {
		chatChunk(`{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}`, ""),
		chatChunk(`{"index":0,"delta":{"content":"ok"},"finish_reason":null}`, ""),
		chatChunk(`{"index":0,"delta":{},"finish_reason":"stop"}`, ""),
		chatChunk("", `,"usage":`+usageOfChat),
		"data: [DONE]\n\n",
	},
	"responses": modelNamed(
		`{"type":"response.created","response":{"id":"resp_1","object":"response","created_at":1,`+
			`"status":"in_progress","model":"m","output":[],"usage":null},"sequence_number":0}`,
		`{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message",`+
			`"role":"assistant","status":"in_progress","content":[]},"sequence_number":1}`,
		`{"type":"response.content_part.added","item_id":"msg_1","output_index":0,"content_index":0,`+
			`"part":{"type":"output_text","text":"","annotations":[]},"sequence_number":2}`,
		`{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,`+
			`"delta":"ok","sequence_number":3}`,
		`{"type":"response.output_text.done","item_id":"msg_1","output_index":0,"content_index":0,`+
			`"text":"ok","sequence_number":4}`,
		`{"type":"response.content_part.done","item_id":"msg_1","output_index":0,"content_index":0,`+
			`"part":{"type":"output_text","text":"ok","annotations":[]},"sequence_number":5}`,
		`{"type":"response.output_item.done","output_index":0,"item":`+responsesItem+`,"sequence_number":6}`,
		`{"type":"response.completed","response":{"id":"resp_1","object":"response","created_at":1,`+
			`"status":"completed","model":"m","output":[`+responsesItem+`],"usage":`+usageOfResponses+
			`},"sequence_number":7}`,
	),
}

func chatChunk(choice, more string) string {
	return `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[` +
		choice + `]` + more + "}\n\n"
}

// modelNamed returns events as server-sent events that have their type as their name.
func modelNamed(events ...string) []string {
	for i, event := range events {
		kind, _, _ := strings.Cut(strings.TrimPrefix(event, `{"type":"`), `"`)
		events[i] = "event: " + kind + "\ndata: " + event + "\n\n"
	}
	return events
}

// streaming reports whether a request asks an upstream for a stream.
func (s *sent) streaming() bool { return s.member("stream").Bool() }

// speaks returns an upstream of a protocol that answers "ok", and a list without a model.
func speaks(protocol string) upstream {
	return func(r *sent) *reply {
		switch {
		case r.Method != "POST":
			return says(200, `{"data":[]}`)(r)
		case r.streaming():
			return streams(streamedAnswers[protocol]...)(r)
		}
		return says(200, plainAnswers[protocol])(r)
	}
}

// plays returns a strict double of the vendor of a protocol. It answers with these turns, one after
// the other.
func plays(protocol string, turns ...*vendors.Turn) upstream {
	queue := vendors.Queue(turns)
	v := vendors.New(protocol, vendors.Options{}, queue.Next)
	return func(r *sent) *reply {
		a := v.Answer(&vendors.Request{Path: r.URL.RequestURI(), Header: r.Header, Body: []byte(r.body)})
		reply := &reply{status: a.Status, header: map[string]string{"Content-Type": a.Type}}
		for _, piece := range a.Pieces {
			reply.chunks = append(reply.chunks, string(piece))
		}
		return reply
	}
}

// base returns the URL of an upstream of a protocol at a host.
func base(protocol, host string) string {
	if protocol == "anthropic" || protocol == "gemini" {
		return "https://" + host
	}
	return "https://" + host + "/v1"
}

// throughMembers returns an upstream of a record: its name is "up", and it has more members.
func throughMembers(protocol, host string, more object) object {
	up := object{"name": "up", "protocol": protocol, "url": base(protocol, host)}
	for name, value := range more {
		up[name] = value
	}
	return up
}

// everyProtocol returns three upstreams of a record at one host, whose names are their protocols:
// the model PROTOCOL/MODEL leads to one.
func everyProtocol(host string, more object) (ups list) {
	for _, protocol := range protocols {
		up := throughMembers(protocol, host, more)
		up["name"] = protocol
		ups = append(ups, up)
	}
	return ups
}
