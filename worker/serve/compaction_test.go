package serve_test

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/vendors"
)

const (
	summaryText = "We fix \"a.go\".\nNext: b.go é"
	trigger     = `{"type":"compaction_trigger"}`

	// codexHistory is Codex's form of a call with its result, a call without a result, and
	// reasoning.
	codexHistory = `{"type":"message","role":"developer","content":[{"type":"input_text",` +
		`"text":"Sandboxed."}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix the tests."}]},` +
		`{"type":"reasoning","summary":[],"content":null,"encrypted_content":"gAAArs"},` +
		`{"type":"function_call","call_id":"call_1","name":"shell","arguments":"{\"cmd\":\"ls\"}"},` +
		`{"type":"function_call_output","call_id":"call_1","output":"a.go b.go"},` +
		`{"type":"custom_tool_call","call_id":"call_2","name":"apply_patch","input":"*** Begin"}`

	fromThirty = `{"context_management":[{"type":"compaction","compact_threshold":30}]}`
)

// user returns a message of Responses.
func user(text string) string {
	return encoded(object{"type": "message", "role": "user",
		"content": list{object{"type": "input_text", "text": text}}})
}

// codex returns a request as Codex 0.169 sends it (codex-rs/core/src/client.rs).
func codex(items ...string) string {
	return `{"model":"gpt-5.5","instructions":"You are Codex.","input":[` +
		strings.Join(items, ",") + `],"tools":[` +
		`{"type":"function","name":"shell","strict":false,"parameters":{"type":"object",` +
		`"properties":{"cmd":{"type":"string"}}}},` +
		`{"type":"custom","name":"apply_patch","description":"Patches."}],"tool_choice":"auto",` +
		`"parallel_tool_calls":true,` +
		`"reasoning":{"effort":"medium","summary":"auto"},"store":false,"stream":true,` +
		`"include":["reasoning.encrypted_content"],"prompt_cache_key":"thread"}`
}

// turn returns a turn with a text, for 40 tokens in and 7 out.
func turn(text string) *vendors.Turn {
	return &vendors.Turn{Text: text, Usage: vendors.Usage{Input: 40, Output: 7}}
}

// turns is an upstream that answers any request with the next turn.
func (d *deployment) turns(protocol string, turns ...*vendors.Turn) upstream {
	var ups []upstream
	for _, turn := range turns {
		ups = append(ups, lenient(protocol, turn))
	}
	return d.each(ups...)
}

// respond sends a Responses request, and returns the answer and the response, from a plain answer
// or a stream.
func (d *deployment) respond(t *testing.T, body string, headers ...string) (*answer, gjson.Result) {
	t.Helper()
	return d.respondAt(t, "/v1/responses", body, headers...)
}

func (d *deployment) respondAt(t *testing.T, path, body string, headers ...string) (*answer, gjson.Result) {
	t.Helper()
	a := d.ask("POST", path, body, headers...)
	if gjson.Valid(a.text()) {
		return a, a.get("@this")
	}
	frames := a.events(t)
	return a, gjson.Get(frames[len(frames)-1].Data, "response")
}

// compacted has a deployment compact Codex's history, and returns the item.
func (d *deployment) compacted(t *testing.T, summary string) string {
	t.Helper()
	d.upstreams["up.test"] = d.turns("chat", turn(summary))
	a, response := d.respond(t, codex(codexHistory, trigger))
	require.Equal(t, 200, a.Code, a.text())
	return response.Get("output.0").Raw
}

// lastText returns the text of the last item of a response.
func lastText(response gjson.Result) string {
	items := response.Get("output").Array()
	return items[len(items)-1].Get("content.0.text").Str
}

// TestCompaction has Codex and OpenAI's SDK compact a conversation, and go on.
func TestCompaction(t *testing.T) {
	t.Parallel()
	for _, protocol := range clientProtocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := deployTo(t, protocol, map[string]string{"SEAL_KEY": ""})
				d.upstreams["up.test"] = d.turns(protocol, turn(summaryText), turn("Done."))
				a, response := d.respond(t, codex(codexHistory, trigger))
				require.Equal(t, 200, a.Code, a.text())
				var done list
				for _, f := range a.events(t) {
					if f.Name == "response.output_item.done" {
						done = append(done, f.JSON["item"])
					}
				}
				require.Len(t, done, 1)
				assert.Equal(t, "compaction", done[0].(object)["type"])
				frames := a.events(t)
				assert.Equal(t, "response.completed", frames[len(frames)-1].Name)
				assert.Equal(t, done, response.Get("output").Value())
				assert.Equal(t, int64(47), response.Get("usage.total_tokens").Int())
				asked := d.last().body
				for _, words := range []string{"You are Codex.", "Sandboxed.", "Fix the tests.", "a.go b.go",
					"*** Begin", "write a summary"} {
					assert.Contains(t, asked, words)
				}
				for _, words := range []string{"gAAArs", `"tools"`, "compaction", `"tool_calls"`,
					`"tool_use"`, "function_call"} {
					assert.NotContains(t, asked, words)
				}
				assert.True(t, gjson.Get(asked, "stream").Bool())
				next, response := d.respond(t,
					codex(user("Fix the tests."), encoded(done[0]),
						strings.Replace(user("Sandboxed."), `"user"`, `"developer"`, 1), user("And now?")))
				require.Equal(t, 200, next.Code, next.text())
				assert.NotContains(t, next.Header().Get("X-Edgelingua-Lost"), "input")
				assert.Equal(t, "Done.", lastText(response))
				checkSummary(t, protocol, d.last().body, summaryText)

				d.upstreams["up.test"] = d.turns(protocol, turn(summaryText), turn("Done."))
				compact := d.ask("POST", "/v1/responses/compact",
					`{"model":"gpt-5.5","instructions":"Be brief.","input":[`+codexHistory+
						`],"prompt_cache_key":"k"}`)
				require.Equal(t, 200, compact.Code, compact.text())
				assert.Equal(t, "response.compaction", compact.get("object").Str)
				assert.Equal(t, list{"message", "compaction"}, elements(compact.text(), "output.#.type"))
				assert.Equal(t, "user", compact.get("output.0.role").Str)
				assert.Equal(t, int64(47), compact.get("usage.total_tokens").Int())
				output := compact.get("output").Raw
				_, response = d.respond(t,
					`{"model":"gpt-5.5","store":false,"input":[`+output[1:len(output)-1]+","+user("And now?")+
						`]}`)
				assert.Equal(t, "Done.", lastText(response))
				checkSummary(t, protocol, d.last().body, summaryText)
				assert.Contains(t, d.last().body, "Fix the tests.")
			})
		})
	}
}

// TestCompactionThreshold compacts a conversation over a threshold, before the answer.
func TestCompactionThreshold(t *testing.T) {
	t.Parallel()
	for _, protocol := range clientProtocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			eachWay(t, func(t *testing.T, stream bool) {
				d := deployTo(t, protocol, map[string]string{"SEAL_KEY": ""})
				d.upstreams["up.test"] = d.turns(protocol, turn(summaryText), turn("Done."), turn("Fine."))
				a, first := d.respond(t, streamed(with(codex(codexHistory, user("Well?")), fromThirty),
					stream))
				require.Equal(t, 200, a.Code, a.text())
				assert.Equal(t, list{"compaction", "message"}, elements(first.Raw, "output.#.type"))
				assert.Equal(t, "Done.", lastText(first))
				assert.Equal(t, int64(47), first.Get("usage.total_tokens").Int(),
					"by these tokens the client sees how full the window is")
				require.Len(t, d.requests(), 2)
				asked := d.last().body
				checkSummary(t, protocol, asked, summaryText)
				assert.Contains(t, asked, "Well?")
				assert.NotContains(t, asked, "*** Begin")
				assert.NotContains(t, asked, "context_management")
				output := first.Get("output").Raw
				more := codex(codexHistory, user("Well?"), output[1:len(output)-1], user("Fine?"))
				a, second := d.respond(t, streamed(with(more,
					strings.Replace(fromThirty, "30", "100000", 1)), stream))
				require.Equal(t, 200, a.Code, a.text())
				assert.Equal(t, list{"message"}, elements(second.Raw, "output.#.type"))
				checkSummary(t, protocol, d.last().body, summaryText)
				assert.NotContains(t, d.last().body, "*** Begin")
			})
		})
	}
}

// TestCompactionFails: upstreams fail, or answer without a summary.
func TestCompactionFails(t *testing.T) {
	t.Parallel()
	for protocol, overflow := range map[string]string{
		"anthropic": "prompt is too long: 300000 tokens > 200000 maximum",
		"chat":      "This model's maximum context length is 8192 tokens.",
		"responses": "Your input exceeds the context window of this model.",
	} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := deployTo(t, protocol, map[string]string{"SEAL_KEY": ""})
				cut := turn("We")
				cut.Stop = "length"
				for _, test := range []struct {
					up      upstream
					status  int
					message string
				}{
					{says(500, `{"error":{"type":"api_error","message":"broken"}}`), 500,
						"could not be compacted.*broken"},
					{says(400, encoded(object{"error": object{"type": "invalid_request_error",
						"message": overflow}})), 400, "could not be compacted.*new session"},
					{lenient(protocol, turn("")), 502, "could not be compacted"},
					{lenient(protocol, cut), 502, "could not be compacted.*limit"},
					{lenient(protocol, turn(strings.Repeat("a", 66_000))), 502,
						"could not be compacted.*64 KB"},
					{func(*sent) *reply { return &reply{err: syscall.ECONNRESET} }, 502,
						"could not be compacted"},
				} {
					for _, request := range []string{codex(codexHistory, trigger),
						streamed(codex(codexHistory, trigger), false),
						with(codex(codexHistory), fromThirty)} {
						d.restart()
						d.upstreams["up.test"] = test.up
						a := d.ask("POST", "/v1/responses", request)
						require.Equal(t, test.status, a.Code, a.text())
						assert.Regexp(t, test.message, a.get("error.message").Str)
						assert.Len(t, d.requests(), 1)
					}
				}
			})
		})
	}
}

// TestCompactionRefuses sends requests that never reach an upstream.
func TestCompactionRefuses(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "chat", map[string]string{"SEAL_KEY": ""})
	for _, test := range []struct{ name, body, path, message string }{
		{"no model", `{"input":"hi"}`, "/compact", "model"},
		{"nothing to compact", `{"model":"m"}`, "/compact", "input"},
		{"an empty conversation", `{"model":"m","input":[]}`, "/compact", "conversation"},
		{"a trigger in the middle", `{"model":"m","input":[` + trigger + `,` + user("x") + `]}`, "",
			"last item"},
		{"nothing but a trigger", `{"model":"m","input":[` + trigger + `]}`, "", "conversation"},
		{"a compaction without content", `{"model":"m","input":[{"type":"compaction","id":"cmp_1"}]}`, "",
			"encrypted_content"},
		{"a sealed compaction at a deployment without a key",
			`{"model":"m","input":[{"type":"compaction",` +
				`"encrypted_content":"el1::s::v1.abcdefgh.ABEiM0RVZneImaq7.AAAA"}]}`, "", "SEAL_KEY"},
		{"OpenAI's compaction, and nothing after it",
			`{"model":"m","input":[` + user("x") + `,{"type":"compaction","encrypted_content":"gAAAcmp"}]}`,
			"", "encrypted by the vendor"},
		{"another entry of context_management",
			`{"model":"m","input":"x","context_management":[{"type":"clear"}]}`, "", "'compaction'"},
	} {
		a := d.ask("POST", "/v1/responses"+test.path, test.body)
		assert.Equal(t, 400, a.Code, "%s: %s", test.name, a.text())
		assert.Contains(t, a.get("error.message").Str, test.message, test.name)
	}
	assert.Empty(t, d.requests())
}

// TestCompactionOfLongConversation compacts 15 MB, mostly the arguments of a call.
func TestCompactionOfLongConversation(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "chat", map[string]string{"SEAL_KEY": ""})
	d.upstreams["up.test"] = d.turns("chat", turn(summaryText))
	write := encoded(object{"type": "function_call", "call_id": "call_1", "name": "write",
		"arguments": `{"text":"` + strings.Repeat("a", 15_500_000) + `"}`})
	a, response := d.respond(t, `{"model":"m","input":[`+user("Write.")+`,`+write+`,`+trigger+`]}`)
	require.Equal(t, 200, a.Code, a.text())
	assert.Equal(t, list{"compaction"}, elements(response.Raw, "output.#.type"))
	assert.Greater(t, len(d.last().body), 15_500_000)
}

// TestCompactionOfOpenAI passes compactions of OpenAI's own service. OpenAI gets our own summaries
// as text.
func TestCompactionOfOpenAI(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "responses", map[string]string{"UPSTREAM_URL": "https://api.openai.com/v1",
		"SEAL_KEY": ""})
	const item = `{"type":"compaction","id":"cmp_1","encrypted_content":"gAAAcmp"}`
	own := turn("")
	own.Compaction = "gAAAcmp"
	d.upstreams["api.openai.com"] = d.turns("responses", own, turn("Done."))
	request := with(codex(codexHistory, trigger), strings.Replace(fromThirty, "30", "9", 1))
	_, response := d.respond(t, request)
	assert.Equal(t, list{"compaction"}, elements(response.Raw, "output.#.type"))
	assert.Equal(t, "gAAAcmp", response.Get("output.0.encrypted_content").Str)
	assert.JSONEq(t, request, d.last().body)
	next := codex(user("x"), item, user("And now?"))
	a, _ := d.respond(t, next)
	assert.Equal(t, 200, a.Code)
	assert.JSONEq(t, next, d.last().body)

	compaction := `{"id":"resp_1","object":"response.compaction","created_at":1,"output":[` + item +
		`],"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}}`
	d.upstreams["api.openai.com"] = says(200, compaction)
	assert.JSONEq(t, compaction, d.ask("POST", "/v1/responses/compact",
		`{"model":"gpt-5.5","input":[`+codexHistory+`]}`).text())
	assert.Equal(t, "/v1/responses/compact", d.last().URL.Path)

	d.upstreams["api.openai.com"] = d.turns("responses", turn("Done."))
	a, _ = d.respond(t, codex(encoded(object{"type": "compaction", "id": "cmp_1",
		"encrypted_content": "el1::c::" + summaryText}), user("And now?")))
	assert.Equal(t, 200, a.Code, a.text())
	checkSummary(t, "responses", d.last().body, summaryText)
}

// TestCompactionMoves moves a session of Codex and a session of Claude Code from one upstream to
// the next.
func TestCompactionMoves(t *testing.T) {
	t.Parallel()
	t.Run("Codex", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, codexMoves)
	})
	t.Run("Claude Code", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, claudeCodeMoves)
	})
}

func codexMoves(t *testing.T) {
	at := func(d *deployment, host, protocol string, turn *vendors.Turn, items ...string) (output []string) {
		t.Helper()
		d.restart()
		d.upstreams[host] = d.turns(protocol, turn)
		a, response := d.respond(t, codex(items...))
		require.Equal(t, 200, a.Code, a.text())
		for _, item := range response.Get("output").Array() {
			output = append(output, item.Raw)
		}
		return output
	}
	chat, claude := deployTo(t, "chat", nil), deployTo(t, "anthropic", nil)
	openAI := deployTo(t, "responses", map[string]string{"UPSTREAM_URL": "https://api.openai.com/v1"})

	// Codex keeps the user's messages, and puts the item after them.
	item := at(chat, "up.test", "chat", turn(summaryText), codexHistory, trigger)[0]
	items := []string{user("Fix the tests."), item,
		strings.Replace(user("Sandboxed."), `"user"`, `"developer"`, 1), user("And now?")}
	called := turn("")
	called.Calls = []vendors.Call{{ID: "call_9", Name: "shell", Input: object{"cmd": "cat a.go"}}}
	calls := at(claude, "up.test", "anthropic", called, items...)
	checkSummary(t, "anthropic", claude.last().body, summaryText)
	roles := elements(claude.last().body, "messages.#.role")
	items = append(append(items, calls...),
		encoded(object{"type": "function_call_output",
			"call_id": gjson.Get(calls[len(calls)-1], "call_id").Str, "output": "package a"}))
	output := at(claude, "up.test", "anthropic", turn("It is a package."), items...)
	assert.Equal(t, roles, elements(claude.last().body, "messages.#.role")[:len(roles)])
	checkSummary(t, "anthropic", claude.last().body, summaryText)
	items = append(items, output...)

	again := at(claude, "up.test", "anthropic", turn("We have read a.go."), append(items, trigger)...)
	inside := encoded(summaryText)
	for _, words := range []string{inside[1 : len(inside)-1], "package a", "cat a.go"} {
		assert.Contains(t, strings.ReplaceAll(claude.last().body, `\u00e9`, "é"), words)
	}
	items = []string{user("Fix the tests."), user("And now?"), again[0], user("Go on.")}
	moved := at(openAI, "api.openai.com", "responses", turn("Done."), items...)
	checkSummary(t, "responses", openAI.last().body, "We have read a.go.")
	assert.NotContains(t, openAI.last().body, "el1:")
	compaction := turn("")
	compaction.Compaction = "gAAAcmp"
	own := at(openAI, "api.openai.com", "responses", compaction, append(append(items, moved...), trigger)...)
	sent := gjson.Get(openAI.last().body, "input").Array()
	assert.JSONEq(t, trigger, sent[len(sent)-1].Raw)
	assert.Equal(t, "gAAAcmp", gjson.Get(own[0], "encrypted_content").Str)

	back := chat.ask("POST", "/v1/responses", codex(user("Fix the tests."), own[0], user("Go on.")))
	assert.Equal(t, 400, back.Code, back.text())
	assert.Contains(t, back.get("error.message").Str, "encrypted by the vendor")
}

func claudeCodeMoves(t *testing.T) {
	messages := list{object{"role": "user", "content": "Fix the tests."},
		object{"role": "assistant", "content": "I look."},
		object{"role": "user", "content": strings.Repeat("word ", 80)}}
	at := func(d *deployment, host, protocol string, threshold int, turns ...*vendors.Turn) (content any) {
		t.Helper()
		d.upstreams[host] = d.turns(protocol, turns...)
		edits := `{"context_management":{"edits":[{"type":"compact_20260112",` +
			`"trigger":{"type":"input_tokens","value":` + strconv.Itoa(threshold) + `}}]}}`
		a := d.ask("POST", "/v1/messages",
			with(body(object{"max_tokens": 100, "messages": messages}), edits),
			"Anthropic-Beta: compact-2026-01-12")
		require.Equal(t, 200, a.Code, a.text())
		return a.get("content").Value()
	}
	chat, openAI := deployTo(t, "chat", nil), deployTo(t, "responses", nil)
	claude := deployTo(t, "anthropic", map[string]string{"UPSTREAM_URL": "https://api.anthropic.com"})

	first := at(chat, "up.test", "chat", 60, turn(summaryText), turn("Done."))
	assert.Equal(t, list{"compaction", "text"}, elements(encoded(first), "#.type"))
	messages = append(messages, object{"role": "assistant", "content": first},
		object{"role": "user", "content": "And now?"})
	second := at(openAI, "up.test", "responses", 60_000, turn("Twice."))
	checkSummary(t, "responses", openAI.last().body, summaryText)
	assert.NotContains(t, openAI.last().body, "I look.")
	messages = append(messages, object{"role": "assistant", "content": second},
		object{"role": "user", "content": "Go on."})
	at(claude, "api.anthropic.com", "anthropic", 60_000, turn("Thrice."))
	checkSummary(t, "anthropic", claude.last().body, summaryText)
	assert.NotContains(t, claude.last().body, "el1:")
	assert.Equal(t, list{"compact_20260112"}, elements(claude.last().body, "context_management.edits.#.type"))
}
