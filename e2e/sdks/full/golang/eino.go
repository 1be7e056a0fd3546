package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	einogemini "github.com/cloudwego/eino-ext/components/model/gemini"
	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/eino-contrib/jsonschema"
	"github.com/getkin/kin-openapi/openapi3"
	"google.golang.org/genai"
)

// eino is a model of Eino.
type eino struct {
	model    model.ToolCallingChatModel
	stream   bool
	messages []*schema.Message
}

func newEinoChat(ctx context.Context, j *job) (conversation, error) {
	config := &openai.ChatModelConfig{
		BaseURL: j.URL + "/v1", APIKey: j.APIKey, Model: j.Model, ReasoningEffort: openai.ReasoningEffortLevel(j.Effort),
	}
	if j.Schema != nil {
		config.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: "weather", Strict: true, JSONSchema: schemaOf[jsonschema.Schema](j.Schema),
			},
		}
	}
	m, err := openai.NewChatModel(ctx, config)
	if err != nil {
		return nil, err
	}
	return newEino(j, m)
}

func newEinoGemini(ctx context.Context, j *job) (conversation, error) {
	client, err := newGoogle(ctx, j)
	if err != nil {
		return nil, err
	}
	config := &einogemini.Config{
		Client: client, Model: j.Model, ThinkingConfig: &genai.ThinkingConfig{IncludeThoughts: true},
	}
	if j.Schema != nil {
		config.ResponseSchema = schemaOf[openapi3.Schema](j.Schema)
	}
	m, err := einogemini.NewChatModel(ctx, config)
	if err != nil {
		return nil, err
	}
	return newEino(j, m)
}

// schemaOf returns a schema in the type of a library.
func schemaOf[S any](from map[string]any) *S {
	to := new(S)
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		panic(err) // the schemas of the jobs are known
	}
	return to
}

func newEino(j *job, m model.ToolCallingChatModel) (conversation, error) {
	var tools []*schema.ToolInfo
	for _, t := range j.Tools {
		tools = append(tools, &schema.ToolInfo{Name: t.Name, Desc: t.Description,
			ParamsOneOf: schema.NewParamsOneOfByJSONSchema(schemaOf[jsonschema.Schema](t.Schema))})
	}
	m, err := m.WithTools(tools)
	return &eino{m, j.Stream, []*schema.Message{schema.SystemMessage(j.System)}}, err
}

func (c *eino) say(text string) { c.messages = append(c.messages, schema.UserMessage(text)) }

func (c *eino) answer(of call, result string) {
	c.messages = append(c.messages, schema.ToolMessage(result, of.ID, schema.WithToolName(of.Name)))
}

func (c *eino) ask(ctx context.Context) (turn, error) {
	message, err := c.generate(ctx)
	if err != nil {
		return turn{}, err
	}
	c.messages = append(c.messages, message)
	t := turn{text: message.Content, thoughts: message.ReasoningContent}
	for _, of := range message.ToolCalls {
		t.calls = append(t.calls, call{of.ID, of.Function.Name, of.Function.Arguments})
	}
	return t, nil
}

func (c *eino) generate(ctx context.Context) (*schema.Message, error) {
	if !c.stream {
		return c.model.Generate(ctx, c.messages)
	}
	stream, err := c.model.Stream(ctx, c.messages)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	var chunks []*schema.Message
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return schema.ConcatMessages(chunks)
		}
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, chunk)
	}
}
