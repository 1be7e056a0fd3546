package translator_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/wasmtest/answers"
)

// digest is the content of an answer, read with encoding/json like a client does, in one form for
// all protocols.
type digest struct {
	Text, Refusal, Reasoning string
	Calls                    []string // each as "name arguments", the JSON without spaces between tokens
}

// digestOf reads a whole stream in a protocol.
func digestOf(t *testing.T, protocol string, frames []answers.Frame) (d digest) {
	switch protocol {
	case "anthropic":
		d.readMessages(t, frames)
	case "chat":
		d.readChat(t, frames)
	case "responses":
		d.readResponses(t, frames)
	case "gemini":
		d.readGemini(t, frames)
	case "interactions":
		d.readInteractions(t, frames)
	}
	return d
}

func text(o map[string]any, key string) string {
	s, _ := o[key].(string)
	return s
}

func child(o map[string]any, key string) map[string]any {
	c, _ := o[key].(map[string]any)
	return c
}

func (d *digest) call(t *testing.T, name, arguments string) {
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	var v any
	if json.Unmarshal([]byte(arguments), &v) != nil { // invalid JSON, as the model wrote it
		d.Calls = append(d.Calls, name+" "+arguments)
		return
	}
	compact, err := json.Marshal(v)
	require.NoError(t, err)
	d.Calls = append(d.Calls, name+" "+string(compact))
}

func (d *digest) readMessages(t *testing.T, frames []answers.Frame) {
	blocks := map[float64]map[string]any{}
	input := map[float64]string{}
	for _, f := range frames {
		index, _ := f.JSON["index"].(float64)
		switch f.JSON["type"] {
		case "content_block_start":
			b := child(f.JSON, "content_block")
			blocks[index] = b
			d.Text += text(b, "text")
			d.Reasoning += text(b, "thinking")
			if in := child(b, "input"); len(in) > 0 {
				whole, _ := json.Marshal(in)
				input[index] = string(whole)
			}
		case "content_block_delta":
			delta := child(f.JSON, "delta")
			d.Text += text(delta, "text")
			d.Reasoning += text(delta, "thinking")
			input[index] += text(delta, "partial_json")
		case "content_block_stop":
			if b := blocks[index]; b["type"] == "tool_use" {
				d.call(t, text(b, "name"), input[index])
			}
		}
	}
}

func (d *digest) readChat(t *testing.T, frames []answers.Frame) {
	type call struct {
		name, arguments string
		custom          bool
	}
	var calls []call
	for _, f := range frames {
		choices, _ := f.JSON["choices"].([]any)
		for _, choice := range choices {
			delta := child(choice.(map[string]any), "delta")
			d.Text += text(delta, "content")
			d.Refusal += text(delta, "refusal")
			d.Reasoning += text(delta, "reasoning_content")
			parts, _ := delta["content"].([]any)
			for _, part := range parts {
				p := part.(map[string]any)
				d.Text += text(p, "text")
				thoughts, _ := p["thinking"].([]any)
				for _, thought := range thoughts {
					d.Reasoning += text(thought.(map[string]any), "text")
				}
			}
			if c := child(delta, "function_call"); c != nil {
				if text(c, "name") != "" {
					calls = append(calls, call{name: text(c, "name")})
				}
				calls[len(calls)-1].arguments += text(c, "arguments")
			}
			list, _ := delta["tool_calls"].([]any)
			for _, element := range list {
				c := element.(map[string]any)
				n, _ := c["index"].(float64)
				if int(n) == len(calls) {
					calls = append(calls, call{})
				}
				calls[int(n)].name += text(child(c, "function"), "name")
				calls[int(n)].arguments += text(child(c, "function"), "arguments")
				if custom := child(c, "custom"); custom != nil {
					calls[int(n)].custom = true
					calls[int(n)].name += text(custom, "name")
					calls[int(n)].arguments += text(custom, "input")
				}
			}
		}
	}
	for _, c := range calls {
		if c.custom {
			input, _ := json.Marshal(c.arguments)
			c.arguments = string(input)
		}
		d.call(t, c.name, c.arguments)
	}
}

func (d *digest) readResponses(t *testing.T, frames []answers.Frame) {
	for _, f := range frames {
		switch f.JSON["type"] {
		case "response.output_text.delta":
			d.Text += text(f.JSON, "delta")
		case "response.refusal.delta":
			d.Refusal += text(f.JSON, "delta")
		case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
			d.Reasoning += text(f.JSON, "delta")
		case "response.completed", "response.incomplete": // only these have a call that was cut
			output, _ := child(f.JSON, "response")["output"].([]any)
			for _, item := range output {
				d.readCall(t, item.(map[string]any))
			}
		}
	}
}

func (d *digest) readCall(t *testing.T, item map[string]any) {
	switch item["type"] {
	case "function_call":
		d.call(t, qualified(text(item, "namespace"), text(item, "name")), text(item, "arguments"))
	case "custom_tool_call":
		input, _ := json.Marshal(text(item, "input"))
		d.call(t, qualified(text(item, "namespace"), text(item, "name")), string(input))
	case "tool_search_call":
		if item["execution"] == "server" {
			break
		}
		arguments, _ := json.Marshal(item["arguments"])
		d.call(t, "tool_search", string(arguments))
	case "local_shell_call":
		arguments, _ := json.Marshal(item["action"])
		d.call(t, "local_shell", string(arguments))
	}
}

func (d *digest) readInteractions(t *testing.T, frames []answers.Frame) {
	name, arguments := "", ""
	for _, f := range frames {
		delta := child(f.JSON, "delta")
		switch f.JSON["event_type"] {
		case "step.start":
			name, arguments = text(child(f.JSON, "step"), "name"), ""
		case "step.delta":
			d.Text += text(delta, "text")
			d.Reasoning += text(child(delta, "content"), "text")
			arguments += text(delta, "arguments")
		case "step.stop":
			if name != "" {
				d.call(t, name, arguments)
			}
			name = ""
		}
	}
}

// isGoogle reports whether a protocol is one of Google's two.
func isGoogle(protocol string) bool { return protocol == "gemini" || protocol == "interactions" }

// qualified returns a tool's name after its namespace, if any.
func qualified(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + " " + name
}

// add adds the content that a client of x gets for a block of its answer.
func (d *digest) add(t *testing.T, x *translator.Exchange, b *irtest.Block) {
	client, name, text := x.Request.API.Name, string(b.Start.Name), ""
	for _, ev := range b.Deltas { // one by one, like the client does
		if ev.Delta == ir.TextDelta {
			text += answers.Unescaped(t, string(ev.Text))
		}
	}
	if tool := x.Request.Tool(b.Start.Name); client == "responses" && tool != nil && tool.Namespace != "" {
		name = qualified(string(tool.Namespace), string(tool.Local))
	}
	switch b.Start.Block {
	case ir.TextBlock:
		if (client == "chat" || isGoogle(client)) && b.Start.NewMessage && d.Text != "" && text != "" {
			d.Text += "\n\n" // an empty line precedes the next text
		}
		d.Text += text
	case ir.RefusalBlock:
		if isGoogle(client) { // a refusal is text there
			if b.Start.NewMessage && d.Text != "" && text != "" {
				d.Text += "\n\n"
			}
			d.Text += text
			break
		}
		d.Refusal += text
	case ir.ReasoningBlock:
		d.Reasoning += text
	case ir.ToolCallBlock:
		d.call(t, name, text)
	case ir.CustomToolCallBlock:
		if client == "anthropic" { // Messages has no calls with free text
			break
		}
		input, _ := json.Marshal(text)
		if isGoogle(client) { // Google has none either: the text is an argument
			input, _ = json.Marshal(map[string]string{"input": text})
		}
		d.call(t, name, string(input))
	}
}

// checkDigest checks that the output for the client of x, out, has the whole content of the answer,
// and nothing else.
func checkDigest(t *testing.T, x *translator.Exchange, answer []byte, plain bool, out []byte) {
	client := x.Request.API.Name
	var r irtest.Recorder
	translator.ForWorker(x).Record(&r, answer, plain)
	want, got := digest{}, digestOf(t, client, answers.Frames(t, out))
	opaque := false // the answer holds a block of the upstream's own protocol
	called := false // since the last text there was a call: Chat shows the texts as one content
	apart := false  // since the last text there was a call or a search: output_text ends there
	for _, b := range r.Blocks() {
		switch b.Start.Block {
		case ir.ToolCallBlock, ir.CustomToolCallBlock:
			called, apart = true, true
		case ir.WebSearchBlock:
			apart = true
		case ir.RefusalBlock:
			b.Start.NewMessage = client != "interactions" || !apart
			apart = apart && len(b.Deltas) == 0
		case ir.TextBlock:
			if client == "interactions" && apart {
				b.Start.NewMessage = false
			}
			apart = apart && len(b.Deltas) == 0
			b.Start.NewMessage = b.Start.NewMessage || called && client == "chat" &&
				strings.TrimRight(want.Text, " \n") == want.Text
			called = false
		}
		want.add(t, x, &b)
		opaque = opaque || slices.ContainsFunc(b.Deltas, func(ev ir.Event) bool {
			return ev.Delta == ir.OpaqueDelta || ev.Delta == ir.HostedDelta
		})
	}
	// Messages has refusals as text, and texts and refusals may be mixed: compare their length
	if client == "anthropic" {
		require.Len(t, got.Text, len(want.Text+want.Refusal))
		want.Text, want.Refusal = got.Text, ""
	}
	if x.Request.Legacy && client == "chat" && len(want.Calls) > 1 {
		want.Calls = want.Calls[:1]
	}
	if isGoogle(client) {
		want.Calls = wholeCalls(want.Calls, got.Calls)
	}
	// a failure may cut a call; calls of the upstream's own tools are not in the hub
	if r.Failure() != nil || opaque {
		want.Calls, got.Calls = nil, nil
	}
	require.Equal(t, want, got)
}
