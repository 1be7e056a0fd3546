// Program golang runs a tool task with an SDK for Go. The standard input is a job, the standard
// output is the outcome. e2e/sdks/full/golang.mjs starts it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// job is a task for one SDK.
type job struct {
	SDK, URL, APIKey, Model, System string
	Effort                          string // of reasoning in Chat Completions; "" for none
	Stream                          bool
	Questions                       []string
	Tools                           []tool
	Schema                          map[string]any // of an object as the answer
}

type tool struct {
	Name, Description string
	Schema            map[string]any
}

type call struct{ ID, Name, Arguments string }

// turn is an answer of the model.
type turn struct {
	text, thoughts string
	calls          []call
}

// outcome is the result of a job: the last text for each question, all reasoning, and the calls,
// each a name and a city.
type outcome struct {
	Texts    []string    `json:"texts"`
	Thoughts string      `json:"thoughts"`
	Called   [][2]string `json:"called"`
}

// conversation is the use of an SDK, with the history of the conversation.
type conversation interface {
	say(text string)
	answer(of call, result string)
	ask(ctx context.Context) (turn, error) // sends the history, and adds the answer
}

var conversations = map[string]func(context.Context, *job) (conversation, error){
	"openai-go chat":       newChat,
	"openai-go responses":  newResponses,
	"anthropic-sdk-go":     newMessages1,
	"anthropic-sdk-go/v2":  newMessages2,
	"genai":                newGenAI,
	"eino chat":            newEinoChat,
	"eino gemini":          newEinoGemini,
	"langchaingo chat":     newLangChainChat,
	"langchaingo messages": newLangChainMessages,
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var j job
	if err := json.NewDecoder(os.Stdin).Decode(&j); err != nil {
		return err
	}
	out := &outcome{}
	if err := out.converse(ctx, &j); err != nil {
		return fmt.Errorf("%s: %w", j.SDK, err)
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// converse asks each question, and runs the tools until the model calls none.
func (o *outcome) converse(ctx context.Context, j *job) error {
	newConversation, ok := conversations[j.SDK]
	if !ok {
		return errors.New("unknown")
	}
	c, err := newConversation(ctx, j)
	if err != nil {
		return err
	}
	for _, question := range j.Questions {
		c.say(question)
		for {
			t, err := c.ask(ctx)
			if err != nil {
				return err
			}
			o.Thoughts += t.thoughts
			if len(t.calls) == 0 {
				o.Texts = append(o.Texts, t.text)
				break
			}
			for _, of := range t.calls {
				result, err := o.call(of)
				if err != nil {
					return err
				}
				c.answer(of, result)
			}
		}
	}
	return nil
}

// call runs a tool.
func (o *outcome) call(c call) (string, error) {
	var input struct{ City string }
	if err := json.Unmarshal([]byte(c.Arguments), &input); err != nil {
		return "", fmt.Errorf("the arguments of %s: %w", c.Name, err)
	}
	o.Called = append(o.Called, [2]string{c.Name, input.City})
	return fmt.Sprintf("%s of %s: 42.", c.Name, input.City), nil
}
