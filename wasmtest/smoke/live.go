package smoke

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"edgelingua/wasmtest/conform"
)

// LiveRequests is the number of requests of Live to a model: two questions on each of four paths, streamed
// and plain. Each answer has at most conform.MaxTokens tokens.
const LiveRequests = 4 * 4

// Live checks a deployed worker: keys and refusals first, then a text and a forced call on each
// client path, streamed and plain. It stops at once if an answer has more than conform.MaxTokens tokens,
// since the limit then did not reach the model.
func Live(ctx context.Context, target Target, model string, progress Progress) *Report {
	l := live{ctx: ctx, target: target, model: model}
	checks := authChecks(ctx, target, target.patience())
	for i := range dialects {
		checks = append(checks, l.checks(&dialects[i])...)
	}
	return l.run(checks, progress)
}

// checks returns the checks of a model's answers on the path of d.
func (l *live) checks(d *dialect) (checks []check) {
	taken := &Usage{Path: d.path}
	l.usage = append(l.usage, taken)
	for _, stream := range []bool{true, false} {
		add := func(column string, run func(c *client)) {
			checks = append(checks, check{
				pair: d.name, column: column, name: column, mode: modeOf(stream),
				client: &client{ctx: l.ctx, target: l.target, patience: l.target.patience(), taken: taken},
				run:    run,
			})
		}
		add(columnText, func(c *client) { l.checkText(c, d, stream) })
		add(columnCall, func(c *client) { l.checkCall(c, d, stream) })
	}
	return checks
}

func (l *live) run(checks []check, progress Progress) *Report {
	r := runAll(checks, progress, func() bool { return l.overLimit || l.ctx.Err() != nil })
	r.Usage = l.usage
	return r
}

// live is the state shared by all checks of one server.
type live struct {
	ctx                 context.Context
	target              Target
	usage               []*Usage
	model               string
	maxCompletionTokens bool // the upstream accepts max_completion_tokens, not max_tokens
	overLimit           bool // an answer had more tokens than the limit
}

// ask sends a question with the limit max_tokens. OpenAI's reasoning models reject that name, the
// server of 1Panel-dev/MaxKB#2912 rejects max_completion_tokens, and ik_llama.cpp ignored
// max_completion_tokens until ikawrakow/ik_llama.cpp#2321. If a refusal mentions
// max_completion_tokens, the question is sent again with that name, and so are all later questions.
// A refusal costs no tokens.
func (l *live) ask(c *client, d *dialect, q *question) *received {
	q.Model, q.MaxTokens = l.model, conform.MaxTokens
	q.maxCompletionTokens = l.maxCompletionTokens
	a := c.post(d, q)
	if a.status == http.StatusBadRequest && d.name == "chat" && !q.maxCompletionTokens &&
		strings.Contains(a.body, "max_completion_tokens") {
		l.maxCompletionTokens, q.maxCompletionTokens = true, true
		a = c.post(d, q)
	}
	return a
}

// read reads a successful answer and checks the number of tokens.
func (l *live) read(c *client, d *dialect, q *question, a *received) *said {
	s := c.read(d, q, a)
	s.counted()
	if s.output > conform.MaxTokens {
		l.overLimit = true
		fail(fmt.Sprintf("at most %d output tokens (the rest is not asked)", conform.MaxTokens),
			fmt.Sprint(s.output))
	}
	return s
}

func (l *live) checkText(c *client, d *dialect, stream bool) {
	q := &question{Ask: conform.Ask{Words: "Say hello in one short sentence.", Stream: stream}}
	s := l.read(c, d, q, l.ask(c, d, q))
	if len(s.calls) > 0 {
		fail("a text", "a call of "+s.calls[0].Name)
	}
	switch {
	case s.text != "":
	case s.stop == stopLength:
		c.note = fmt.Sprintf("the model used its %d tokens up before it said anything", conform.MaxTokens)
	default:
		fail("a text", "none")
	}
}

func (l *live) checkCall(c *client, d *dialect, stream bool) {
	// This check is about the worker. A model that refuses forced calls, answers one with a text,
	// or thinks until its tokens are used up is only noted: the grammar of the answer was checked.
	// Errors written by an upstream of the client's own protocol pass unchanged, so only their
	// message is looked for. Keys of less than 8 characters are not looked for in answers: demo is
	// a word.
	t := conform.Tool{Name: "get_weather", Description: "The weather in a city.", Schema: object{
		"type": "object", "properties": object{"city": object{"type": "string"}}, "required": []any{"city"},
	}}
	q := &question{Ask: conform.Ask{Words: "How is the weather in Paris?", Tools: []conform.Tool{t},
		Forced: t.Name, Stream: stream}}
	a := l.ask(c, d, q)
	if a.status == http.StatusBadRequest && strings.Contains(a.body, "tool") {
		a.isA("application/json")
		c.note = "forced calls are refused: " + conform.Show(d.failure(parse("the body", a.body), 0))
		return
	}
	s := l.read(c, d, q, a)
	switch {
	case s.stop == stopLength: // a call is incomplete if the token limit cut the answer
		c.note = fmt.Sprintf("the model used its %d tokens up before its call was whole", conform.MaxTokens)
	case len(s.calls) == 0:
		c.note = "the model answered with a text, though the call is forced"
	default:
		// OpenAI's finish_reason is "stop" after a forced call
		if s.stop != stopCalls && !(d.name == "chat" && s.stop == stopEnd) {
			fail("an answer that ended for "+string(stopCalls), string(s.stop))
		}
		for _, call := range s.calls {
			if call.Name != t.Name {
				fail("a call of "+t.Name, call.Name)
			}
			fits(t, call.Arguments)
		}
	}
}
