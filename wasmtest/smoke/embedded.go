package smoke

import (
	"context"
	"fmt"
	"strings"
	"time"

	"edgelingua/wasmtest/conform"
)

// weather and clock are the tools offered with the questions.
var (
	weather = conform.Tool{Name: "get_weather", Description: "The weather in a city.", Schema: object{
		"type": "object",
		"properties": object{
			"city": object{"type": "string"},
			"unit": object{"type": "string", "enum": []string{"celsius", "fahrenheit"}},
			"days": object{"type": "integer"},
		},
		"required": []any{"city", "unit", "days"},
	}}
	clock = conform.Tool{Name: "get_time", Description: "The time in a city.", Schema: object{
		"type": "object", "properties": object{"city": object{"type": "string"}}, "required": []any{"city"},
	}}
)

// greeting has characters with escapes in JSON, and characters of several bytes.
const greeting = "Say \"hi\" to Zoë,\nto 漢字 \\ and to 😀."

// The columns of the table.
const (
	columnText      = "text"
	columnCall      = "tool call"
	columnRoundTrip = "round trip"
	columnParallel  = "parallel"
	columnErrors    = "errors"
)

// Embedded checks targets whose upstream is the demo, one target for each protocol that the demo
// speaks. A canceled ctx stops the checks.
func Embedded(ctx context.Context, targets []Target, progress Progress) *Report {
	return runAll(embeddedChecks(ctx, targets), progress, func() bool { return ctx.Err() != nil })
}

// embeddedPatience is how long one answer of the module on this machine may take.
const embeddedPatience = 10 * time.Second

func embeddedChecks(ctx context.Context, targets []Target) (checks []check) {
	for i := range dialects {
		d := &dialects[i]
		for _, target := range targets {
			for _, stream := range []bool{true, false} {
				add := func(column, name string, run func(c *client)) {
					checks = append(checks, check{
						pair: d.name + "/" + target.Upstream, column: column, name: name,
						mode:   modeOf(stream),
						client: &client{ctx: ctx, target: target, patience: embeddedPatience}, run: run,
					})
				}
				add(columnText, columnText, func(c *client) { checkText(c, d, stream) })
				add(columnCall, columnCall, func(c *client) { checkCall(c, d, stream) })
				add(columnRoundTrip, columnRoundTrip, func(c *client) { checkRoundTrip(c, d, stream) })
				add(columnParallel, columnParallel, func(c *client) { checkParallel(c, d, stream) })
				for _, e := range upstreamErrors {
					if look := e.of(stream); look != nil {
						q := demoQuestion("demo-error-"+e.name, stream)
						add(columnErrors, "error "+e.name, func(c *client) {
							look(c, d, c.post(d, q),
								e.status)
						})
					}
				}
			}
		}
	}
	return append(checks, authChecks(ctx, targets[0], embeddedPatience)...)
}

// demoQuestion returns a question to a model of the demo.
func demoQuestion(model string, stream bool) *question {
	return &question{Ask: conform.Ask{Model: model, Words: greeting, Stream: stream, MaxTokens: 200},
		strict: true}
}

// counted demands token counts in the answer.
func (s *said) counted() {
	if s.input == 0 || s.output == 0 {
		fail("usage with tokens", fmt.Sprintf("%d input tokens, %d output tokens", s.input, s.output))
	}
}

func (s *said) stopped(want stop) {
	if s.stop != want {
		fail("an answer that ended for "+string(want), string(s.stop))
	}
}

func (s *said) says(want string) {
	if len(s.calls) > 0 {
		fail("a text", fmt.Sprint("a call of ", s.calls[0].Name))
	}
	if s.text != want {
		fail("the text "+encode(want), encode(s.text))
	}
}

// callOf demands that call i calls t, with arguments that fit the tool's schema and name the city.
func (s *said) callOf(i int, t conform.Tool, city string) {
	c := s.calls[i]
	if c.Name != t.Name {
		fail("a call of "+t.Name, c.Name)
	}
	fits(t, c.Arguments).get("city").is(city)
}

func (s *said) callsNumber(want int) {
	if s.text != "" || len(s.calls) != want {
		fail(fmt.Sprintf("calls, %d of them, and no text", want), fmt.Sprintf("%d calls and the text %q",
			len(s.calls), s.text))
	}
}

func checkText(c *client, d *dialect, stream bool) {
	s := c.say(d, demoQuestion("demo", stream))
	s.says("This is the demo upstream. You said: " + greeting)
	s.stopped(stopEnd)
	s.counted()
}

func checkCall(c *client, d *dialect, stream bool) {
	q := demoQuestion("demo", stream)
	q.Words, q.Tools, q.Forced = "What time is it in Paris?", []conform.Tool{clock, weather}, weather.Name
	s := c.say(d, q)
	s.callsNumber(1)
	s.callOf(0, weather, "Paris")
	s.stopped(stopCalls)
	s.counted()
}

// checkRoundTrip does not request usage from Chat Completions, and demands that a stream then has
// none.
func checkRoundTrip(c *client, d *dialect, stream bool) {
	q := demoQuestion("demo", stream)
	q.Words, q.Tools, q.NoUsage = "How is the weather in Oslo?", []conform.Tool{weather}, true
	s := c.say(d, q)
	s.callsNumber(1)
	s.callOf(0, weather, "Oslo")
	q.Calls, q.Results = s.calls, []string{"21 °C, \"sunny\""}
	s = c.say(d, q)
	s.says("The tool says: " + q.Results[0])
	s.stopped(stopEnd)
}

func checkParallel(c *client, d *dialect, stream bool) {
	q := demoQuestion("demo-parallel", stream)
	q.Words, q.Tools = "Weather and time in Lima?", []conform.Tool{weather, clock}
	s := c.say(d, q)
	s.callsNumber(2)
	s.callOf(0, weather, "Lima")
	s.callOf(1, clock, "Lima")
	s.stopped(stopCalls)
	if s.calls[0].ID == s.calls[1].ID {
		fail("an id of its own for each call", s.calls[0].ID)
	}
	q.Calls, q.Results = s.calls, []string{"rain", "noon"}
	s = c.say(d, q)
	s.says("The tool says: rain, noon")
	s.stopped(stopEnd)
}

// upstreamError is a failure of the upstream. What the client must see depends on whether the
// answer is translated or passed through.
type upstreamError struct {
	name   string
	status int // of the upstream's answer
	plain  errorCheck
	stream errorCheck
}

// errorCheck checks a, the answer to the client after the upstream answered with status.
type errorCheck func(c *client, d *dialect, a *received, status int)

func (e *upstreamError) of(stream bool) errorCheck {
	if stream {
		return e.stream
	}
	return e.plain
}

var upstreamErrors = []upstreamError{
	{name: "400", status: 400, plain: checkStatus, stream: checkStatus},
	{name: "401", status: 401, plain: checkStatus, stream: checkStatus},
	{name: "404", status: 404, plain: checkStatus, stream: checkStatus},
	{name: "429", status: 429, plain: checkStatus, stream: checkStatus},
	{name: "500", status: 500, plain: checkStatus, stream: checkStatus},
	{name: "529", status: 529, plain: checkStatus, stream: checkStatus},
	{name: "html", status: 502, plain: checkPage, stream: checkPage},
	{name: "stream", stream: checkEndsBadly},
	{name: "cut", status: 502, plain: checkCut, stream: checkCut},
}

// passes reports whether the answers of a target reach the client unchanged: both sides speak the
// same protocol.
func (d *dialect) passes(t Target) bool { return d.name == t.Upstream }

// checkStatus demands the upstream's status and message in the client's dialect. "Overloaded" is
// 529 in Messages and 503 in OpenAI's APIs.
func checkStatus(c *client, d *dialect, a *received, status int) {
	want := status
	if status == 529 && d.name != "anthropic" && !d.passes(c.target) {
		want = 503
	}
	message, words := a.refused(d, want), "as asked"
	if status == 401 {
		words = "Incorrect API key provided"
	}
	if !strings.Contains(message, words) {
		fail("the upstream's words: "+words, message)
	}
	if wait := a.head.Get("retry-after"); status == 429 && wait != "7" {
		fail("retry-after: 7", wait)
	}
}

// checkPage demands an error in the client's dialect instead of an HTML page. With passthrough,
// checkPage demands the page.
func checkPage(c *client, d *dialect, a *received, status int) {
	if d.passes(c.target) {
		if a.status != status || !strings.Contains(a.body, "<title>502 Bad Gateway</title>") {
			fail("the upstream's page with its status 502", fmt.Sprintf("%d %s", a.status, a.body))
		}
		return
	}
	if message := a.refused(d, status); !strings.Contains(message, "502 Bad Gateway") {
		fail("the title of the upstream's page", message)
	}
}

// checkEndsBadly demands that the answer begins and then ends with an error.
func checkEndsBadly(c *client, d *dialect, a *received, _ int) {
	if a.status != 200 {
		fail("status 200", fmt.Sprintf("%d %s", a.status, a.body))
	}
	a.isA("text/event-stream")
	a.isWhole()
	if message := d.endsBadly(split(a.body)); !strings.Contains(message, "failed, as asked") {
		fail("the upstream's words", message)
	}
}

// checkCut demands an error if the upstream's connection broke. With passthrough, the client's
// connection must break too.
func checkCut(c *client, d *dialect, a *received, status int) {
	switch {
	case d.passes(c.target):
		if a.broken == nil {
			fail("a broken connection", "the end behind "+tail(a.body))
		}
	case a.status == 200:
		a.isA("text/event-stream")
		a.isWhole()
		if d.endsBadly(split(a.body)) == "" {
			fail("an error with a message", tail(a.body))
		}
	default:
		a.refused(d, status)
	}
}
