package serve_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/vendors"
)

// Bodies for context_management of Messages. Claude Code's thresholds are 180,000 and 140,000
// tokens; the test's thresholds are smaller.
const (
	clearAtOnce = `{"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"tool_uses",` +
		`"value":1},"keep":{"type":"tool_uses","value":1},"exclude_tools":["Edit"]}]}`
	clearLikeClaude = `{"edits":[{"type":"clear_thinking_20251015","keep":"all"},` +
		`{"type":"clear_tool_uses_20250919","trigger":{"type":"input_tokens","value":1500},` +
		`"clear_at_least":{"type":"input_tokens","value":1500},"clear_tool_inputs":["Read"]}]}`

	oldLine    = "A line of a file that was read long ago and is of no use any more.\n"
	bothRead   = "Both are read."
	filesRead  = "The user wants the files read. Two are read."
	compactNow = `"type":"compact_20260112","trigger":{"type":"input_tokens","value":2000}`
)

// history returns a request whose conversation called tools one after the other.
func history(names ...string) string {
	messages := list{object{"role": "user", "content": "Look."}}
	for i, name := range names {
		n := strconv.Itoa(i)
		messages = append(messages,
			object{"role": "assistant", "content": list{object{"type": "tool_use", "id": "toolu_" + n,
				"name": name, "input": object{"path": n + ".txt"}}}},
			object{"role": "user", "content": list{object{"type": "tool_result", "tool_use_id": "toolu_" + n,
				"content": n + ": " + strings.Repeat(oldLine, 40)}}})
	}
	tools := list{}
	for _, name := range []string{"Read", "Edit"} {
		tools = append(tools, object{"name": name,
			"input_schema": object{"type": "object", "properties": object{"path": object{"type": "string"}}}})
	}
	return body(object{"model": "claude-test", "tools": tools, "messages": messages})
}

// whole reports, for each result in a request to an upstream, whether the result is complete.
func whole(t *testing.T, body string) (all []bool) {
	for _, item := range append(gjson.Get(body, "messages").Array(), gjson.Get(body, "input").Array()...) {
		if item.Get("role").Str == "tool" || item.Get("type").Str == "function_call_output" {
			text := item.Get("content").String() + item.Get("output").String()
			kept := strings.Contains(text, "read long ago")
			if !kept {
				assert.Regexp(t, `^\[cleared`, text)
			}
			all = append(all, kept)
		}
	}
	return all
}

// read is an answer after the files are read.
var read = &vendors.Turn{Text: bothRead, Usage: vendors.Usage{Input: 30, Output: 4}}

// TestClearToolResults clears results before an upstream of another API, and says so in the answer.
func TestClearToolResults(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"chat", "responses"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			eachWay(t, func(t *testing.T, stream bool) {
				d := deployTo(t, protocol, nil)
				d.upstreams["up.test"] = lenient(protocol, read)
				const beta = "Anthropic-Beta: context-management-2025-06-27"
				message := d.message(t, with(history("Read", "Edit", "Read", "Read"),
					`{"context_management":`+clearAtOnce+`}`), stream, beta)
				assert.Equal(t, bothRead, gjson.Get(encoded(message), "content.0.text").Str)
				edits := gjson.Get(encoded(message), "context_management.applied_edits").Array()
				require.Len(t, edits, 1)
				assert.Equal(t, "clear_tool_uses_20250919", edits[0].Get("type").Str)
				assert.Equal(t, int64(2), edits[0].Get("cleared_tool_uses").Int())
				assert.Greater(t, edits[0].Get("cleared_input_tokens").Int(), int64(1500))
				assert.Less(t, edits[0].Get("cleared_input_tokens").Int(), int64(3000))
				assert.Equal(t, []bool{false, true, false, true}, whole(t, d.last().body))

				var cleared []int
				for turns := 2; turns <= 9; turns++ {
					request := with(history(slices.Repeat([]string{"Read"}, turns)...),
						`{"thinking":{"type":"adaptive"},"stream":`+strconv.FormatBool(stream)+
							`,"context_management":`+clearLikeClaude+`}`)
					a := d.ask("POST", "/v1/messages?beta=true", request)
					require.Equal(t, 200, a.Code, a.text())
					assert.Regexp(t, `^context_management\.edits\[0\](,|$)`,
						a.Header().Get("X-Edgelingua-Lost"))
					message := encoded(messageOf(t, a))
					sent := whole(t, d.last().body)
					first := slices.Index(sent, true)
					assert.Equal(t, int64(first),
						gjson.Get(message, "context_management.applied_edits.0.cleared_tool_uses").Int())
					assert.NotContains(t, sent[first:], false)
					cleared = append(cleared, first)
				}
				assert.Equal(t, []int{0, 0, 0, 2, 2, 4, 4, 6}, cleared,
					"two at a time: each is worth some 1,000 tokens")
			})

			d := deployTo(t, protocol, nil)
			request := history("Read", "Read", "Read")
			all := d.count(t, countTokens, request)
			a := d.ask("POST", countTokens, with(request, `{"context_management":`+clearAtOnce+`}`))
			assert.Equal(t, int64(all), a.get("context_management.original_input_tokens").Int())
			assert.Less(t, int(a.get("input_tokens").Int()), all/2)

			wrong := with(messagesBody,
				`{"context_management":{"edits":[{"type":"clear_tool_uses_20250919",`+
					`"keep":{"type":"tool_uses","value":"3"}}]}}`)
			e := failure(t, "anthropic", d.ask("POST", "/v1/messages", wrong), 400)
			assert.Equal(t, "context_management.edits.0.keep.value: Input should be a valid integer. Found '3'.",
				e["message"])
			assert.Empty(t, d.requests())
		})
	}
}

// conversationOf returns the conversation of a request to an upstream, without its tools.
func conversationOf(body string) string {
	return gjson.Get(body, "messages").Raw + gjson.Get(body, "instructions").Raw + gjson.Get(body,
		"input").Raw
}

// summarizes is an upstream that answers a request for a summary with filesRead.
func summarizes(protocol string) upstream {
	summary := lenient(protocol, &vendors.Turn{Text: filesRead, Usage: vendors.Usage{Input: 3000, Output: 9}})
	answer := lenient(protocol, read)
	return func(r *sent) *reply {
		if strings.Contains(conversationOf(r.body), "Keep the names.") {
			return summary(r)
		}
		return answer(r)
	}
}

// elements returns members of the elements of a list in JSON.
func elements(json, path string) (all list) {
	for _, one := range gjson.Get(json, path).Array() {
		all = append(all, one.Value())
	}
	return all
}

// TestCompactEdit has a conversation of Messages go on from a summary, sealed or readable.
func TestCompactEdit(t *testing.T) {
	t.Parallel()
	for protocol, key := range map[string]string{"chat": sealKey, "responses": ""} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			eachWay(t, func(t *testing.T, stream bool) {
				d := deployTo(t, protocol, map[string]string{"SEAL_KEY": key})
				d.upstreams["up.test"] = summarizes(protocol)
				run := func(request, more string) string {
					return encoded(d.message(t,
						with(request, `{"context_management":{"edits":[{`+compactNow+more+`}]}}`), stream,
						"Anthropic-Beta: compact-2026-01-12"))
				}
				request := history("Read", "Read", "Read")
				first := run(request, `,"instructions":"Keep the names."`)
				assert.Equal(t, list{"compaction", "text"}, elements(first, "content.#.type"))
				assert.Equal(t, filesRead, gjson.Get(first, "content.0.content").Str)
				assert.Equal(t, key != "",
					strings.HasPrefix(gjson.Get(first, "content.0.encrypted_content").Str, "el1::s::"))
				assert.Equal(t, bothRead, gjson.Get(first, "content.1.text").Str)
				assert.Equal(t, "end_turn", gjson.Get(first, "stop_reason").Str)
				assert.Equal(t, list{"compaction", "message"}, elements(first, "usage.iterations.#.type"))
				assert.Equal(t, list{3000.0, 30.0}, elements(first, "usage.iterations.#.input_tokens"))
				assert.Equal(t, list{9.0, 4.0}, elements(first, "usage.iterations.#.output_tokens"))
				assert.Equal(t, int64(30), gjson.Get(first, "usage.input_tokens").Int())
				assert.JSONEq(t, `{"applied_edits":[]}`, gjson.Get(first, "context_management").Raw)
				assert.NotContains(t, conversationOf(d.last().body), "read long ago",
					"the answer goes on from the summary only")

				messages := gjson.Get(request, "messages").Value().(list)
				messages = append(messages,
					object{"role": "assistant", "content": gjson.Get(first, "content").Value()},
					object{"role": "user", "content": "And now?"})
				second := run(with(request, encoded(object{"messages": messages})), "")
				assert.Equal(t, list{bothRead}, elements(second, "content.#.text"))
				assert.Equal(t, list{"message"}, elements(second, "usage.iterations.#.type"))
				assert.NotContains(t, conversationOf(d.last().body), "read long ago")
				checkSummary(t, protocol, d.last().body, filesRead)
				assert.Len(t, d.requests(), 3)

				d.restart()
				paused := run(request, `,"instructions":"Keep the names.","pause_after_compaction":true`)
				assert.Equal(t, "compaction", gjson.Get(paused, "stop_reason").Str)
				assert.Equal(t, list{filesRead}, elements(paused, "content.#.content"))
				assert.Equal(t, list{0.0, 0.0},
					list{gjson.Get(paused, "usage.input_tokens").Num,
						gjson.Get(paused, "usage.output_tokens").Num})
				assert.Equal(t, list{"compaction"}, elements(paused, "usage.iterations.#.type"))
				assert.Equal(t, list{3000.0}, elements(paused, "usage.iterations.#.input_tokens"))
				assert.Len(t, d.requests(), 1)
				next := run(with(request, encoded(object{"messages": list{object{"role": "assistant",
					"content": gjson.Get(paused, "content").Value()},
					object{"role": "user", "content": "Read on."}}})), "")
				assert.Equal(t, bothRead, gjson.Get(next, "content.0.text").Str)
				assert.Contains(t, conversationOf(d.last().body), filesRead)
			})
		})
	}
}

// checkSummary checks that the only user text in a request to an upstream is the summary.
func checkSummary(t *testing.T, protocol, body, summary string) {
	t.Helper()
	text := encoded(summary)
	text = text[1 : len(text)-1]
	messages := gjson.Get(body, map[string]string{"responses": "input"}[protocol])
	if protocol != "responses" {
		messages = gjson.Get(body, "messages")
	}
	var roles []string
	for _, m := range messages.Array() {
		if strings.Contains(encoded(m.Value()), text) {
			roles = append(roles, m.Get("role").Str)
		}
	}
	assert.Equal(t, []string{"user"}, roles)
	for _, other := range []string{"system", "instructions", "tools"} {
		assert.NotContains(t, encoded(gjson.Get(body, other).Value()), text, other)
	}
}

// TestChangedSummary refuses a sealed summary after a change.
func TestChangedSummary(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "chat", nil)
	d.upstreams["up.test"] = summarizes("chat")
	paused := d.message(t, with(history("Read", "Read", "Read"),
		`{"context_management":{"edits":[{`+compactNow+
			`,"instructions":"Keep the names.","pause_after_compaction":true}]}}`), false)
	block := paused["content"].(list)[0].(object)
	content := block["encrypted_content"].(string)
	block["encrypted_content"] = changed(content, len(content)-9)
	e := failure(t, "anthropic", d.ask("POST", "/v1/messages",
		body(object{"messages": list{object{"role": "assistant", "content": list{block}},
			object{"role": "user", "content": "x"}}})), 400)
	assert.Regexp(t, `^messages\.0\.content\.0: .*can't be opened`, e["message"])
	assert.Len(t, d.requests(), 1)
}

// changed returns a text with another letter at an index.
func changed(text string, at int) string {
	letter := "A"
	if text[at] == 'A' {
		letter = "B"
	}
	return text[:at] + letter + text[at+1:]
}
