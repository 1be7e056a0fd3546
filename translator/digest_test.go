package translator_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// digest is what an answer says, whatever protocol says it: read with encoding/json, as a client would.
type digest struct {
	Text, Refusal, Reasoning string
	Calls                    []string // name and arguments, JSON without its spaces
}

// digestOf reads a whole stream of a protocol.
func digestOf(t *testing.T, protocol string, frames []frame) (d digest) {
	switch protocol {
	case "anthropic":
		d.readMessages(t, frames)
	case "chat":
		d.readChat(t, frames)
	case "responses":
		d.readResponses(t, frames)
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
	require.NoError(t, json.Unmarshal([]byte(arguments), &v), arguments)
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
		case "response.output_item.done":
			switch item := child(f.json, "item"); item["type"] {
			case "function_call":
				d.call(t, text(item, "name"), text(item, "arguments"))
			case "custom_tool_call":
				input, _ := json.Marshal(text(item, "input"))
				d.call(t, text(item, "name"), string(input))
			}
		}
	}
}
