package conform

import (
	"encoding/json"
	"fmt"
	"strings"

	"edgelingua/wasmtest/vendors"
)

// toolProbe asks with tools, and ends after the first answer.
func toolProbe(what string, stream, live bool, forced string, tools []Tool, t *vendors.Turn) *Probe {
	return &Probe{name: name(what, stream), live: live, turns: answers(t), run: func(c *client) {
		q := c.question("How is the weather in Paris?")
		q.tools, q.forced, q.stream = tools, forced, stream
		c.ask(q)
	}}
}

// callAndResults is a conversation with calls and their results.
func callAndResults(what string, stream bool, t *vendors.Turn, outputs ...string) *Probe {
	return &Probe{name: name(what, stream), turns: answers(t, usualText), run: func(c *client) {
		q := c.question("How is the weather in Paris?")
		q.tools, q.stream = []Tool{weather, clock, noInput}, stream
		c.calls(q, outputs...)
	}}
}

func calling(calls ...vendors.Call) *vendors.Turn {
	return &vendors.Turn{Calls: calls, Usage: usualUsage}
}

// longText has quotes, line ends, and characters of several bytes.
var longText = strings.Repeat("fn main() { println!(\"Zoë 漢字 😀 \\n\"); }\n", 500)

// hardInput has values that readers of JSON may change: a number above 2^53, deep nesting, an empty key's
// value, and characters with escapes.
const hardInput = `{"town":"Paris","big":9007199254740993,"deep":[[[[{"a":[null,true,{}]}]]]],` +
	`"text":"a\"b\\c\n\u2028é"}`

var (
	noInput = Tool{"list_cities", "All cities.", json.RawMessage(`{"type":"object","properties":{}}`)}
	editor  = Tool{"write_file", "Writes a file.", json.RawMessage(`{"type":"object","properties":{` +
		`"text":{"type":"string"}},"required":["text"]}`)}
	longName = Tool{"mcp__a_server_with_a_long_name__and_a_tool_with_a_longer_name_01", "A tool.",
		json.RawMessage(`{"type":"object","properties":{"town":{"type":"string"}}}`)}

	oneCall   = calling(weatherCall("call_a1", "Paris"))
	twoCalls  = calling(weatherCall("call_a1", "Paris"), clockCall("call_a2", "Oslo"))
	threeSame = calling(weatherCall("call_a1", "Paris"), weatherCall("call_a2", "Oslo"),
		weatherCall("call_a3", "Lima"))

	callPlain    = toolProbe("a forced call", false, true, weather.Name, []Tool{weather}, oneCall)
	callStream   = toolProbe("a forced call", true, true, weather.Name, []Tool{weather}, oneCall)
	twoPlain     = toolProbe("parallel calls", false, false, "", []Tool{weather, clock}, twoCalls)
	twoStream    = toolProbe("parallel calls", true, false, "", []Tool{weather, clock}, twoCalls)
	threeStream  = toolProbe("three calls of one tool", true, false, "", []Tool{weather}, threeSame)
	emptyPlain   = toolProbe("a call without arguments", false, false, "", []Tool{noInput}, emptyCall)
	emptyStream  = toolProbe("a call without arguments", true, false, "", []Tool{noInput}, emptyCall)
	longPlain    = toolProbe("a long call", false, false, "", []Tool{editor}, longCall)
	longStream   = toolProbe("a long call", true, false, "", []Tool{editor}, longCall)
	hardPlain    = toolProbe("hard arguments", false, false, "", []Tool{weather}, hardCall)
	hardStream   = toolProbe("hard arguments", true, false, "", []Tool{weather}, hardCall)
	sayAndPlain  = toolProbe("a text and a call", false, false, "", []Tool{weather}, sayAndCall)
	sayAndStream = toolProbe("a text and a call", true, false, "", []Tool{weather}, sayAndCall)
	namedStream  = toolProbe("a name of 64 characters", true, false, "", []Tool{longName},
		calling(vendors.Call{
			ID: "call_a1", Name: longName.Name, Input: json.RawMessage(`{"town":"Paris"}`)}))
	cutStream = toolProbe("a call at the limit of tokens", true, false, "", []Tool{weather}, &vendors.Turn{
		Calls: oneCall.Calls, Stop: "length", Usage: usualUsage})

	emptyCall  = calling(vendors.Call{ID: "call_a1", Name: noInput.Name, Input: json.RawMessage(`{}`)})
	longCall   = calling(vendors.Call{ID: "call_a1", Name: editor.Name, Input: object{"text": longText}})
	hardCall   = calling(vendors.Call{ID: "call_a1", Name: weather.Name, Input: json.RawMessage(hardInput)})
	sayAndCall = &vendors.Turn{Text: "Let me see.", Calls: oneCall.Calls, Usage: usualUsage}

	tripPlain   = callAndResults("a call and its result", false, oneCall, "Sunny, 21 °C, \"dry\"")
	tripStream  = callAndResults("a call and its result", true, oneCall, "Sunny, 21 °C, \"dry\"")
	tripTwo     = callAndResults("two calls and their results", true, twoCalls, "Result one", "Result two")
	tripEmpty   = callAndResults("a call without arguments, and its result", true, emptyCall, "Paris, Oslo")
	tripNothing = callAndResults("an empty result", false, oneCall, "")
	tripLong    = callAndResults("a long result", false, oneCall, longText)
	tripSay     = callAndResults("a text, a call and its result", true, sayAndCall, "Sunny")

	anyTool = &Probe{name: "any tool", turns: answers(oneCall), run: func(c *client) {
		q := c.question("How is the weather in Paris?")
		q.tools, q.any = []Tool{weather, clock}, true
		c.ask(q)
	}}
	serialTool = &Probe{name: "no parallel calls", turns: answers(oneCall), run: func(c *client) {
		q := c.question("How is the weather in Paris?")
		q.tools, q.serial = []Tool{weather, clock}, true
		c.ask(q)
	}}
	forcedTool = &Probe{name: "a forced tool of two", turns: answers(oneCall), run: func(c *client) {
		q := c.question("What time is it in Paris?")
		q.tools, q.forced = []Tool{clock, weather}, weather.Name
		c.ask(q)
	}}
	manyTools = &Probe{name: "64 tools", turns: answers(usualText), run: func(c *client) {
		q := c.question("What can you do?")
		for i := range 64 {
			q.tools = append(q.tools, Tool{fmt.Sprintf("tool_%02d", i), fmt.Sprintf("Tool number %d.", i),
				json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)})
		}
		c.ask(q)
	}}
)
