package translator_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// digest is what an answer says, read with encoding/json as a client reads it, the same whichever protocol says it.
type digest struct {
	Text, Refusal, Reasoning string
	Calls                    []string // each as "name arguments", the JSON without spaces between tokens
}

// digestOf reads a whole stream in a protocol.
func digestOf(t *testing.T, protocol string, frames []frame) (d digest) {
	switch protocol {
	case "anthropic":
		d.readMessages(t, frames)
	case "chat":
		d.readChat(t, frames)
	case "responses":
		d.readResponses(t, frames)
	case "gemini":
		d.readGemini(t, frames)
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
	if json.Unmarshal([]byte(arguments), &v) != nil { // arguments that are no JSON, as the model wrote them
		d.Calls = append(d.Calls, name+" "+arguments)
		return
	}
	compact, err := json.Marshal(v)
	require.NoError(t, err)
	d.Calls = append(d.Calls, name+" "+string(compact))
}

func (d *digest) readMessages(t *testing.T, frames []frame) {
	blocks := map[float64]map[string]any{}
	input := map[float64]string{}
	for _, f := range frames {
		index, _ := f.json["index"].(float64)
		switch f.json["type"] {
		case "content_block_start":
			b := child(f.json, "content_block")
			blocks[index] = b
			d.Text += text(b, "text")
			d.Reasoning += text(b, "thinking")
			if in := child(b, "input"); len(in) > 0 {
				whole, _ := json.Marshal(in)
				input[index] = string(whole)
			}
		case "content_block_delta":
			delta := child(f.json, "delta")
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

func (d *digest) readChat(t *testing.T, frames []frame) {
	type call struct {
		name, arguments string
		custom          bool
	}
	var calls []call
	for _, f := range frames {
		choices, _ := f.json["choices"].([]any)
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

func (d *digest) readResponses(t *testing.T, frames []frame) {
	for _, f := range frames {
		switch f.json["type"] {
		case "response.output_text.delta":
			d.Text += text(f.json, "delta")
		case "response.refusal.delta":
			d.Refusal += text(f.json, "delta")
		case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
			d.Reasoning += text(f.json, "delta")
		case "response.completed", "response.incomplete": // a call that was cut is nowhere else
			output, _ := child(f.json, "response")["output"].([]any)
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

// qualified returns a tool's name with its namespace, if it has one, in front.
func qualified(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + " " + name
}

// collector is a sink that makes a digest of events.
type collector struct {
	t       *testing.T
	client  string
	request *ir.Request
	digest  digest
	block   ir.BlockKind
	apart   bool // for a client of Chat: an empty line comes in front of the next text
	name    string
	text    string
	failed  bool
	opaque  bool // the answer holds a block of the upstream's own protocol
}

func (c *collector) Event(ev *ir.Event) {
	switch ev.Kind {
	case ir.BlockStart:
		c.block, c.name, c.text = ev.Block, strings.Clone(string(ev.Name)), ""
		c.apart = c.digest.Text != "" && ev.Apart
		if t := c.request.Tool(ev.Name); c.client == "responses" && t != nil && t.Namespace != "" {
			c.name = qualified(string(t.Namespace), string(t.Local))
		}
	case ir.Delta:
		c.opaque = c.opaque || ev.Delta == ir.OpaqueDelta || ev.Delta == ir.HostedDelta
		if ev.Delta == ir.TextDelta {
			c.text += unescaped(c.t, string(ev.Text))
		}
	case ir.BlockStop:
		c.stopped()
	case ir.Failure:
		c.failed = true
		c.stopped()
	}
}

func (c *collector) stopped() {
	switch c.block {
	case ir.TextBlock:
		if (c.client == "chat" || c.client == "gemini") && c.apart && c.text != "" {
			c.digest.Text += "\n\n"
		}
		c.digest.Text += c.text
	case ir.RefusalBlock:
		if c.client == "gemini" { // where it is text
			if c.digest.Text != "" && c.text != "" {
				c.digest.Text += "\n\n"
			}
			c.digest.Text += c.text
			break
		}
		c.digest.Refusal += c.text
	case ir.ReasoningBlock:
		c.digest.Reasoning += c.text
	case ir.ToolCallBlock:
		c.digest.call(c.t, c.name, c.text)
	case ir.CustomToolCallBlock:
		if c.client == "anthropic" { // Messages has no calls with free text
			break
		}
		input, _ := json.Marshal(c.text)
		if c.client == "gemini" { // nor has Gemini: it is an argument
			input, _ = json.Marshal(map[string]string{"input": c.text})
		}
		c.digest.call(c.t, c.name, string(input))
	}
	c.block = 0
}

// checkDigest sees that what the client of x got (out) says all that the answer says, and nothing else.
func checkDigest(t *testing.T, x *translator.Exchange, answer []byte, plain bool, out []byte) {
	c := &collector{t: t, client: x.Request.API.Name, request: x.Request}
	x.Record(c, answer, plain)
	want, got := c.digest, digestOf(t, c.client, framesOf(t, out))
	if c.client == "anthropic" { // Messages has refusals as text, and texts and refusals may be mixed: compare their length
		require.Len(t, got.Text, len(want.Text+want.Refusal))
		want.Text, want.Refusal = got.Text, ""
	}
	if x.Request.Legacy && c.client == "chat" && len(want.Calls) > 1 {
		want.Calls = want.Calls[:1]
	}
	if c.client == "gemini" {
		want.Calls = wholeCalls(want.Calls, got.Calls)
	}
	if c.failed || c.opaque { // a failure may cut a call; calls of the upstream's own tools are not in the hub
		want.Calls, got.Calls = nil, nil
	}
	require.Equal(t, want, got)
}
