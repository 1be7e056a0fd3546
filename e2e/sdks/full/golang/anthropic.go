package main

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// messages1 is Anthropic's SDK of major version 1.
type messages1 struct {
	client anthropic.Client
	stream bool
	params anthropic.MessageNewParams
	// the results of parallel calls, for one message
	results []anthropic.ContentBlockParamUnion
}

func newMessages1(_ context.Context, j *job) (conversation, error) {
	c := &messages1{
		client: anthropic.NewClient(option.WithBaseURL(j.URL), option.WithAPIKey(j.APIKey),
			option.WithMaxRetries(0)),
		stream: j.Stream,
		params: anthropic.MessageNewParams{
			Model:     anthropic.Model(j.Model),
			MaxTokens: 4096,
			System:    []anthropic.TextBlockParam{{Text: j.System}},
			Thinking: anthropic.ThinkingConfigParamUnion{OfAdaptive: &anthropic.ThinkingConfigAdaptiveParam{
				Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized,
			}},
		},
	}
	for _, t := range j.Tools {
		c.params.Tools = append(c.params.Tools, anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{
			Properties: t.Schema["properties"], ExtraFields: map[string]any{"additionalProperties": false},
		}, t.Name))
	}
	if j.Schema != nil {
		c.params.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: j.Schema}
	}
	return c, nil
}

func (c *messages1) say(text string) {
	c.params.Messages = append(c.params.Messages,
		anthropic.NewUserMessage(anthropic.NewTextBlock(text)))
}

func (c *messages1) answer(of call, result string) {
	c.results = append(c.results, anthropic.NewToolResultBlock(of.ID, result, false))
}

func (c *messages1) ask(ctx context.Context) (turn, error) {
	if len(c.results) > 0 {
		c.params.Messages = append(c.params.Messages, anthropic.NewUserMessage(c.results...))
		c.results = nil
	}
	message := &anthropic.Message{}
	if c.stream {
		stream := c.client.Messages.NewStreaming(ctx, c.params)
		for stream.Next() {
			if err := message.Accumulate(stream.Current()); err != nil {
				return turn{}, err
			}
		}
		if err := stream.Err(); err != nil {
			return turn{}, err
		}
	} else {
		var err error
		if message, err = c.client.Messages.New(ctx, c.params); err != nil {
			return turn{}, err
		}
	}
	c.params.Messages = append(c.params.Messages, message.ToParam())
	var t turn
	for _, block := range message.Content {
		t.text += block.Text
		t.thoughts += block.Thinking
		if block.Type == "tool_use" {
			t.calls = append(t.calls, call{block.ID, block.Name, string(block.Input)})
		}
	}
	return t, nil
}
