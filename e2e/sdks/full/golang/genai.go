package main

import (
	"context"
	"encoding/json"

	"google.golang.org/genai"
)

// gemini is Google's SDK.
type gemini struct {
	client   *genai.Client
	stream   bool
	model    string
	config   *genai.GenerateContentConfig
	contents []*genai.Content
	results  []*genai.Part // of parallel calls, for one content
}

func newGoogle(ctx context.Context, j *job) (*genai.Client, error) {
	return genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: j.APIKey, Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: j.URL},
	})
}

func newGenAI(ctx context.Context, j *job) (conversation, error) {
	client, err := newGoogle(ctx, j)
	if err != nil {
		return nil, err
	}
	c := &gemini{client: client, stream: j.Stream, model: j.Model, config: &genai.GenerateContentConfig{
		SystemInstruction: genai.NewContentFromText(j.System, genai.RoleUser),
		ThinkingConfig:    &genai.ThinkingConfig{IncludeThoughts: true},
	}}
	var declared []*genai.FunctionDeclaration
	for _, t := range j.Tools {
		declared = append(declared, &genai.FunctionDeclaration{
			Name: t.Name, Description: t.Description, ParametersJsonSchema: t.Schema,
		})
	}
	c.config.Tools = []*genai.Tool{{FunctionDeclarations: declared}}
	if j.Schema != nil {
		c.config.ResponseMIMEType, c.config.ResponseJsonSchema = "application/json", j.Schema
	}
	return c, nil
}

func (c *gemini) say(text string) {
	c.contents = append(c.contents, genai.NewContentFromText(text, genai.RoleUser))
}

func (c *gemini) answer(of call, result string) {
	c.results = append(c.results, &genai.Part{FunctionResponse: &genai.FunctionResponse{
		ID: of.ID, Name: of.Name, Response: map[string]any{"output": result},
	}})
}

func (c *gemini) ask(ctx context.Context) (turn, error) {
	if len(c.results) > 0 {
		c.contents = append(c.contents, genai.NewContentFromParts(c.results, genai.RoleUser))
		c.results = nil
	}
	// Google's streams end with an empty text, perhaps signed. The SDK would send the part back
	// without a text, and Google would refuse the request.
	var parts []*genai.Part
	if c.stream {
		for chunk, err := range c.client.Models.GenerateContentStream(ctx, c.model, c.contents, c.config) {
			if err != nil {
				return turn{}, err
			}
			for _, part := range chunk.Candidates[0].Content.Parts {
				if part.Text != "" || part.FunctionCall != nil {
					parts = append(parts, part)
				}
			}
		}
	} else {
		answer, err := c.client.Models.GenerateContent(ctx, c.model, c.contents, c.config)
		if err != nil {
			return turn{}, err
		}
		parts = answer.Candidates[0].Content.Parts
	}
	c.contents = append(c.contents, genai.NewContentFromParts(parts, genai.RoleModel))
	var t turn
	for _, part := range parts {
		switch {
		case part.Thought:
			t.thoughts += part.Text
		case part.FunctionCall != nil:
			arguments, err := json.Marshal(part.FunctionCall.Args)
			if err != nil {
				return turn{}, err
			}
			t.calls = append(t.calls, call{part.FunctionCall.ID, part.FunctionCall.Name, string(arguments)})
		default:
			t.text += part.Text
		}
	}
	return t, nil
}
