package main

import (
	"context"
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

func newOpenAI(j *job) openai.Client {
	return openai.NewClient(option.WithBaseURL(j.URL+"/v1"), option.WithAPIKey(j.APIKey),
		option.WithMaxRetries(0))
}

// chat is OpenAI's SDK with Chat Completions. Its types have no member for reasoning.
type chat struct {
	client openai.Client
	stream bool
	params openai.ChatCompletionNewParams
}

func newChat(_ context.Context, j *job) (conversation, error) {
	c := &chat{client: newOpenAI(j), stream: j.Stream}
	c.params = openai.ChatCompletionNewParams{
		Model:           j.Model,
		Messages:        []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(j.System)},
		ReasoningEffort: shared.ReasoningEffort(j.Effort),
	}
	for _, t := range j.Tools {
		function := shared.FunctionDefinitionParam{
			Name: t.Name, Description: openai.String(t.Description), Parameters: t.Schema,
		}
		c.params.Tools = append(c.params.Tools, openai.ChatCompletionFunctionTool(function))
	}
	if j.Schema != nil {
		c.params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "weather", Schema: j.Schema, Strict: openai.Bool(true),
			},
		}
	}
	return c, nil
}

func (c *chat) say(text string) {
	c.params.Messages = append(c.params.Messages, openai.UserMessage(text))
}

func (c *chat) answer(of call, result string) {
	c.params.Messages = append(c.params.Messages, openai.ToolMessage(result, of.ID))
}

func (c *chat) ask(ctx context.Context) (turn, error) {
	var answer *openai.ChatCompletion
	if c.stream {
		stream := c.client.Chat.Completions.NewStreaming(ctx, c.params)
		var all openai.ChatCompletionAccumulator
		for stream.Next() {
			all.AddChunk(stream.Current())
		}
		if err := stream.Err(); err != nil {
			return turn{}, err
		}
		answer = &all.ChatCompletion
	} else {
		var err error
		if answer, err = c.client.Chat.Completions.New(ctx, c.params); err != nil {
			return turn{}, err
		}
	}
	message := answer.Choices[0].Message
	c.params.Messages = append(c.params.Messages, message.ToParam())
	t := turn{text: message.Content}
	for _, of := range message.ToolCalls {
		t.calls = append(t.calls, call{of.ID, of.Function.Name, of.Function.Arguments})
	}
	return t, nil
}

// response is OpenAI's SDK with Responses.
type response struct {
	client openai.Client
	stream bool
	params responses.ResponseNewParams
}

func newResponses(_ context.Context, j *job) (conversation, error) {
	c := &response{client: newOpenAI(j), stream: j.Stream}
	c.params = responses.ResponseNewParams{
		Model:        j.Model,
		Instructions: openai.String(j.System),
		Store:        openai.Bool(false),
		Reasoning: shared.ReasoningParam{
			Effort: shared.ReasoningEffortHigh, Summary: shared.ReasoningSummaryAuto,
		},
		Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
	}
	for _, t := range j.Tools {
		c.params.Tools = append(c.params.Tools, responses.ToolParamOfFunction(t.Name, t.Schema, true))
	}
	if j.Schema != nil {
		c.params.Text.Format = responses.ResponseFormatTextConfigParamOfJSONSchema("weather", j.Schema)
	}
	return c, nil
}

func (c *response) add(item responses.ResponseInputItemUnionParam) {
	c.params.Input.OfInputItemList = append(c.params.Input.OfInputItemList, item)
}

func (c *response) say(text string) {
	c.add(responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser))
}

func (c *response) answer(of call, result string) {
	item := responses.ResponseInputItemParamOfFunctionCallOutput(result)
	item.OfFunctionCallOutput.CallID = openai.String(of.ID)
	c.add(item)
}

func (c *response) ask(ctx context.Context) (turn, error) {
	var answer *responses.Response
	if c.stream {
		stream := c.client.Responses.NewStreaming(ctx, c.params)
		for stream.Next() {
			if event := stream.Current(); event.Type == "response.completed" {
				answer = &event.Response
			}
		}
		if err := stream.Err(); err != nil {
			return turn{}, err
		}
	} else {
		var err error
		if answer, err = c.client.Responses.New(ctx, c.params); err != nil {
			return turn{}, err
		}
	}
	t := turn{text: answer.OutputText()}
	for _, item := range answer.Output {
		c.add(param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
		for _, part := range item.Summary {
			t.thoughts += part.Text
		}
		if item.Type == "function_call" {
			t.calls = append(t.calls, call{item.CallID, item.Name, item.Arguments.OfString})
		}
	}
	return t, nil
}
