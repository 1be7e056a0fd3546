package smoke

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// What Live asks of a model.
const (
	LiveRequests = 12 // two for each of the three paths, streamed and plain
	MaxTokens    = 64
)

// Live checks a deployed worker: the keys and refusals, and then one text and one forced call on each client path, streamed and
// plain. It stops at once where an answer takes more than MaxTokens: the limit did not reach the model.
func Live(ctx context.Context, target Target, model string, progress Progress) *Report {
	checks := authChecks(ctx, target, livePatience)
	l := live{model: model}
	var usage []*Usage
	for i := range dialects {
		d := &dialects[i]
		taken := &Usage{Path: d.path}
		usage = append(usage, taken)
		for _, stream := range []bool{true, false} {
			add := func(column string, run func(c *client)) {
				checks = append(checks, check{
					pair: d.name, column: column, name: column, mode: modeOf(stream),
					client: &client{ctx: ctx, target: target, patience: livePatience, taken: taken}, run: run,
				})
			}
			add(columnText, func(c *client) { l.checkText(c, d, stream) })
			add(columnCall, func(c *client) { l.checkCall(c, d, stream) })
		}
	}
	r := runAll(checks, progress, func() bool { return l.dear || ctx.Err() != nil })
	r.Usage = usage
	return r
}

// live is what the checks of one deployment share.
type live struct {
	model     string
	inNewWord bool // the upstream wants max_completion_tokens
	dear      bool // an answer took more tokens than it may
}

// ask sends a question. OpenAI's reasoning models refuse max_tokens, many other servers only know that: so the first refusal says
// which one it is, and costs nothing.
func (l *live) ask(c *client, d *dialect, q *question) *answer {
	q.model, q.maxTokens, q.usage, q.inNewWord = l.model, MaxTokens, true, l.inNewWord
	a := c.post(d, q)
	if a.status == http.StatusBadRequest && d.name == "chat" && !q.inNewWord && strings.Contains(a.body, "max_completion_tokens") {
		l.inNewWord, q.inNewWord = true, true
		a = c.post(d, q)
	}
	return a
}

// read reads a good answer, and sees to it that the limit was kept.
func (l *live) read(c *client, d *dialect, q *question, a *answer) *said {
	s := c.read(d, q, a)
	s.counted()
	if s.output > MaxTokens {
		l.dear = true
		fail(fmt.Sprintf("at most %d output tokens (the rest is not asked)", MaxTokens), fmt.Sprint(s.output))
	}
	return s
}

func (l *live) checkText(c *client, d *dialect, stream bool) {
	q := &question{words: "Say hello in one short sentence.", stream: stream}
	s := l.read(c, d, q, l.ask(c, d, q))
	if len(s.calls) > 0 {
		fail("a text", "a call of "+s.calls[0].name)
	}
	switch {
	case s.text != "":
	case s.stop == stopLength:
		c.note = fmt.Sprintf("the model used its %d tokens up before it said anything", MaxTokens)
	default:
		fail("a text", "none")
	}
}

func (l *live) checkCall(c *client, d *dialect, stream bool) {
	t := tool{"get_weather", "The weather in a city.", object{
		"type": "object", "properties": object{"city": object{"type": "string"}}, "required": []any{"city"},
	}}
	q := &question{words: "How is the weather in Paris?", tools: []tool{t}, forced: t.name, stream: stream}
	a := l.ask(c, d, q)
	if a.status == http.StatusBadRequest && strings.Contains(a.body, "tool") {
		a.isA("application/json")
		c.note = "forced calls are refused: " + show(d.failure(parse("the body", a.body), 0))
		return
	}
	s := l.read(c, d, q, a)
	switch {
	case s.stop == stopLength: // a call that was cut is not whole
		c.note = fmt.Sprintf("the model used its %d tokens up before its call was whole", MaxTokens)
	case len(s.calls) == 0:
		c.note = "the model answered with a text, though the call is forced"
	default:
		if s.stop != stopCalls && !(d.name == "chat" && s.stop == stopEnd) { // OpenAI says stop behind a forced call
			fail("an answer that ended for "+string(stopCalls), string(s.stop))
		}
		for _, call := range s.calls {
			if call.name != t.name {
				fail("a call of "+t.name, call.name)
			}
			fits(t, call.arguments)
		}
	}
}
