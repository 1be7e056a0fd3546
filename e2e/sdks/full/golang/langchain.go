package main

import (
	"context"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"
)

// langChain is LangChainGo. Its client for Gemini has no setting for a base URL.
type langChain struct {
	model    llms.Model
	messages []llms.MessageContent
	options  []llms.CallOption
}

func newLangChainChat(_ context.Context, j *job) (conversation, error) {
	options := []openai.Option{openai.WithBaseURL(j.URL + "/v1"), openai.WithToken(j.APIKey),
		openai.WithModel(j.Model)}
	if j.Schema != nil {
		properties := map[string]*openai.ResponseFormatJSONSchemaProperty{}
		for name, property := range j.Schema["properties"].(map[string]any) {
			properties[name] = &openai.ResponseFormatJSONSchemaProperty{
				Type: property.(map[string]any)["type"].(string),
			}
		}
		options = append(options, openai.WithResponseFormat(&openai.ResponseFormat{
			Type: "json_schema",
			JSONSchema: &openai.ResponseFormatJSONSchema{
				Name: "weather", Strict: true,
				Schema: &openai.ResponseFormatJSONSchemaProperty{
					Type: "object", Properties: properties, Required: []string{"city", "rain"},
				},
			},
		}))
	}
	model, err := openai.New(options...)
	return newLangChain(j, model), err
}

func newLangChainMessages(_ context.Context, j *job) (conversation, error) {
	model, err := anthropic.New(anthropic.WithBaseURL(j.URL+"/v1"), anthropic.WithToken(j.APIKey),
		anthropic.WithModel(j.Model))
	return newLangChain(j, model), err
}

func newLangChain(j *job, model llms.Model) conversation {
	c := &langChain{model: model, messages: []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, j.System),
	}}
	var tools []llms.Tool
	for _, t := range j.Tools {
		tools = append(tools, llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: t.Schema,
		}})
	}
	c.options = append(c.options, llms.WithTools(tools), llms.WithMaxTokens(4096))
	if j.Stream {
		c.options = append(c.options,
			llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
	}
	return c
}

func (c *langChain) say(text string) {
	c.messages = append(c.messages, llms.TextParts(llms.ChatMessageTypeHuman, text))
}

func (c *langChain) answer(of call, result string) {
	c.messages = append(c.messages, llms.MessageContent{Role: llms.ChatMessageTypeTool,
		Parts: []llms.ContentPart{llms.ToolCallResponse{
			ToolCallID: of.ID, Name: of.Name, Content: result,
		}}})
}

func (c *langChain) ask(ctx context.Context) (turn, error) {
	answer, err := c.model.GenerateContent(ctx, c.messages, c.options...)
	if err != nil {
		return turn{}, err
	}
	message := llms.MessageContent{Role: llms.ChatMessageTypeAI}
	var t turn
	for _, choice := range answer.Choices {
		t.text += choice.Content
		t.thoughts += choice.ReasoningContent
		for _, of := range choice.ToolCalls {
			message.Parts = append(message.Parts, of)
			t.calls = append(t.calls, call{of.ID, of.FunctionCall.Name, of.FunctionCall.Arguments})
		}
	}
	if t.text != "" {
		message.Parts = append([]llms.ContentPart{llms.TextContent{Text: t.text}}, message.Parts...)
	}
	c.messages = append(c.messages, message)
	return t, nil
}
