package serve_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/store"
	"edgelingua/wasmtest/vendors"
)

const (
	storeOption = `{"store":"on"}`
	noResponse  = "resp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" // the id of no response
	weatherTool = `{"type":"function","name":"get_weather","parameters":{"type":"object",` +
		`"properties":{"city":{"type":"string"}}},"strict":false}`
)

// upstreamProtocols has the protocols of upstreams: Gemini's paths name the model and say whether
// to stream.
var upstreamProtocols = append(slices.Clone(clientProtocols), "gemini")

// upstreamOptions are the UPSTREAM_OPTIONS for reasoning.
var upstreamOptions = map[string]string{
	"anthropic": `{"effort":["low","high"]}`,
	"chat":      `{"effort":["low","high"],"reasoning_echo":"reasoning_content"}`,
	"responses": `{"effort":["low","high"]}`,
}

// callID is the id of the nth call of an upstream.
func callID(protocol string, n int) string {
	return map[bool]string{true: "toolu_", false: "call_"}[protocol == "anthropic"] + strconv.Itoa(n)
}

// called is a turn with reasoning and a call.
func called(protocol string, n int) *vendors.Turn {
	turn := &vendors.Turn{Usage: vendors.Usage{Input: 11, Output: 5}}
	thought := vendors.Reasoning{Text: fmt.Sprintf("hm %d", n)}
	switch protocol {
	case "anthropic":
		thought.Blob = fmt.Sprintf("c2ln%d", n)
	case "responses":
		thought.ID, thought.Blob = fmt.Sprintf("rs_up%d", n), fmt.Sprintf("gAAA%d", n)
	}
	if protocol != "gemini" {
		turn.Reasoning = []vendors.Reasoning{thought}
	}
	turn.Calls = []vendors.Call{{ID: callID(protocol, n), Name: "get_weather",
		Input: object{"city": fmt.Sprintf("é %d", n)}}}
	return turn
}

// texts returns a turn with a text.
func texts(text string) *vendors.Turn {
	return &vendors.Turn{Text: text, Usage: vendors.Usage{Input: 11, Output: 5}}
}

// storing is a deployment that stores responses, with one upstream.
type storing struct {
	*deployment
	protocol string
}

func storingOf(t *testing.T, protocol string, env map[string]string) *storing {
	t.Helper()
	if env == nil {
		env = map[string]string{"OPTIONS": storeOption}
	}
	env["UPSTREAM_OPTIONS"] = upstreamOptions[protocol]
	return &storing{deployTo(t, protocol, env), protocol}
}

// create creates a response, streamed or plain, and returns the response.
func (s *storing) create(t *testing.T, turn *vendors.Turn, params string, stream bool) gjson.Result {
	t.Helper()
	s.upstreams["up.test"] = lenient(s.protocol, turn)
	a := s.ask("POST", "/v1/responses", streamed(with(`{"model":"some-model","tools":[`+weatherTool+`]}`,
		params), stream))
	require.Equal(t, 200, a.Code, a.text())
	if stream {
		return lastResponse(t, a)
	}
	return a.get("@this")
}

// lastResponse checks a Responses stream strictly, and returns the last event's response.
func lastResponse(t *testing.T, a *answer) gjson.Result {
	t.Helper()
	frames := a.events(t)
	for i, f := range frames {
		require.Equal(t, i, answers.Number(t, f.JSON, "sequence_number"))
	}
	return gjson.Get(frames[len(frames)-1].Data, "response")
}

// retrieve gets a stored response.
func (d *deployment) retrieve(t *testing.T, path string) gjson.Result {
	t.Helper()
	a := d.ask("GET", "/v1/responses/"+path, "")
	require.Equal(t, 200, a.Code, a.text())
	return a.get("@this")
}

// items returns all input items of a response, page by page.
func (d *deployment) items(t *testing.T, id, query string) (all []gjson.Result) {
	t.Helper()
	for after := ""; ; {
		page := d.retrieve(t, id+"/input_items?"+query+after)
		all = append(all, page.Get("data").Array()...)
		if !page.Get("has_more").Bool() {
			return all
		}
		after = "&after=" + url.QueryEscape(page.Get("last_id").Str)
	}
}

// refused checks a refusal with OpenAI's message, and returns the error.
func (d *deployment) refused(t *testing.T, status int, message, method, path, body string,
	headers ...string) gjson.Result {
	t.Helper()
	a := d.ask(method, path, body, headers...)
	require.Equal(t, status, a.Code, "%s %s: %s", method, path, a.text())
	assert.Regexp(t, message, a.get("error.message").Str)
	return a.get("error")
}

// creation returns the body of a request with an input.
func creation(more string) string { return with(`{"model":"some-model","input":"q"}`, more) }

// storedRows returns the numbers of rows in the tables of an object.
func (d *deployment) storedRows(t *testing.T, object string) (responses, parts int) {
	t.Helper()
	rows, err := d.store.Batch(object,
		[]store.Statement{{SQL: "SELECT count(*) FROM sqlite_master WHERE name IN ('responses', " +
			"'response_parts')"}})
	require.NoError(t, err)
	if rows[0].Values[0] == 0.0 {
		return 0, 0
	}
	rows, err = d.store.Batch(object, []store.Statement{{SQL: "SELECT count(*) FROM responses"},
		{SQL: "SELECT count(*) FROM response_parts"}})
	require.NoError(t, err)
	return int(rows[0].Values[0].(float64)), int(rows[1].Values[0].(float64))
}

// ofEvery runs a test for upstreams of each protocol.
func ofEvery(t *testing.T, run func(t *testing.T, s *storing)) {
	for _, protocol := range upstreamProtocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { run(t, storingOf(t, protocol, nil)) })
		})
	}
}

// types returns the types of items.
func types(items list) (all []string) {
	for _, item := range items {
		kind, _ := item.(object)["type"].(string)
		if kind == "" {
			kind = "message"
		}
		all = append(all, kind)
	}
	return all
}

// TestStoredChain: in a chain of five requests with tools, the upstream gets the same bodies as
// with the whole conversation.
func TestStoredChain(t *testing.T) {
	t.Parallel()
	for _, protocol := range upstreamProtocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			eachWay(t, func(t *testing.T, stream bool) {
				d := storingOf(t, protocol, nil)
				// With the option, bodies between two Responses sides are decoded. The option does
				// not change these bodies.
				unstored := storingOf(t, protocol, map[string]string{"OPTIONS": `{"formats":"strip"}`})
				var all, output list
				previous := ""
				for n := 1; n <= 5; n++ {
					turn := texts(fmt.Sprintf("said %d", n))
					input := object{"type": "function_call_output", "call_id": callID(protocol, n-1),
						"output": fmt.Sprintf("result %d", n)}
					if n%2 == 1 {
						turn = called(protocol, n)
						input = object{"role": "user", "content": fmt.Sprintf("question %d", n)}
					}
					params := object{"reasoning": object{"effort": "high", "summary": "auto"},
						"instructions": fmt.Sprintf("turn %d", n), "input": list{input}}
					if previous != "" {
						params["previous_response_id"] = previous
					}
					response := d.create(t, turn, encoded(params), stream)
					all = append(all, input)
					delete(params, "previous_response_id")
					params["input"], params["store"], params["include"] = all, false,
						list{"reasoning.encrypted_content"}
					output, _ = unstored.create(t, turn, encoded(params), stream).Get("output").Value().(list)
					assert.JSONEq(t, unstored.last().body, d.last().body, "turn %d", n)
					assert.Equal(t, unstored.last().URL, d.last().URL)
					all = append(all, output...)

					id := response.Get("id").Str
					assert.Regexp(t, `^resp_[\w-]{43}$`, id)
					assert.True(t, response.Get("store").Bool())
					assert.Equal(t, previous, response.Get("previous_response_id").Str)
					for i, item := range response.Get("output").Array() {
						assert.Regexp(t, fmt.Sprintf("^[a-z]+_%s_%d$", regexp.QuoteMeta(id[5:]), i),
							item.Get("id").Str)
						if item.Get("type").Str == "reasoning" {
							assert.False(t, item.Get("encrypted_content").Exists())
						}
					}
					assert.JSONEq(t, response.Raw, d.retrieve(t, id).Raw)
					assert.JSONEq(t, response.Raw,
						lastResponse(t, d.ask("GET", "/v1/responses/"+id+"?stream=true", "")).Raw)
					previous = id
				}
				items := d.items(t, previous, "limit=2&order=asc")
				var kinds []string
				ids := map[string]bool{}
				for _, item := range items {
					kinds = append(kinds, item.Get("type").Str)
					ids[item.Get("id").Str] = true
				}
				assert.Equal(t, types(all[:len(all)-len(output)]), kinds)
				assert.Len(t, ids, len(items), "ids are unique")
				back := d.items(t, previous, "")
				slices.Reverse(back)
				require.Len(t, back, len(items))
				for i := range back {
					assert.JSONEq(t, items[i].Raw, back[i].Raw)
				}
			})
		})
	}
}

// TestStoredStream has stored responses as streams.
func TestStoredStream(t *testing.T) {
	t.Parallel()
	ofEvery(t, func(t *testing.T, s *storing) {
		cut := texts("Sun")
		cut.Stop = "length"
		for _, test := range []struct {
			turn    *vendors.Turn
			include string
		}{{texts("Sunny."), ""}, {called(s.protocol, 1), ""},
			{called(s.protocol, 1), "reasoning.encrypted_content"}, {cut, ""}} {
			include, query := list{}, ""
			if test.include != "" {
				include, query = list{test.include}, "&include[]="+test.include
			}
			response := s.create(t, test.turn,
				encoded(object{"input": "q", "include": include, "reasoning": object{"effort": "high"}}),
				true)
			a := s.ask("GET", "/v1/responses/"+response.Get("id").Str+"?stream=true"+query, "")
			require.Equal(t, 200, a.Code)
			answers.CheckStream(t, "responses", false, a.Body.Bytes())
			frames := a.events(t)
			last := frames[len(frames)-1]
			assert.Equal(t, "response.created response.in_progress", frames[0].Name+" "+frames[1].Name)
			assert.Equal(t, "in_progress", gjson.Get(frames[0].Data, "response.status").Str)
			assert.JSONEq(t, response.Raw, gjson.Get(last.Data, "response").Raw)
			assert.Equal(t, "response."+response.Get("status").Str, last.Name)
			var done list
			for _, f := range frames {
				if f.Name == "response.output_item.done" {
					done = append(done, f.JSON["item"])
				}
			}
			assert.Equal(t, response.Get("output").Value(), done)
		}
		s.refused(t, 404, "not found", "GET", "/v1/responses/"+noResponse+"?stream=true", "")
	})
}

// TestStoredReasoning shows encrypted reasoning on request, and sends it to upstreams in any case.
func TestStoredReasoning(t *testing.T) {
	t.Parallel()
	ofEvery(t, func(t *testing.T, s *storing) {
		first := s.create(t, called(s.protocol, 1),
			`{"input":"q","include":["reasoning.encrypted_content"],"reasoning":{"effort":"high"}}`, true)
		content := first.Get("output.0.encrypted_content")
		if s.protocol != "chat" {
			assert.NotEmpty(t, content.Str)
		}
		assert.Equal(t, content.Str, s.retrieve(t, first.Get("id").Str).Get("output.0.encrypted_content").Str)

		first = s.create(t, called(s.protocol, 1), `{"input":"q","reasoning":{"effort":"high"}}`, true)
		output := object{"type": "function_call_output", "call_id": callID(s.protocol, 1), "output": "r"}
		s.create(t, texts("ok"), encoded(object{"input": list{output},
			"previous_response_id": first.Get("id").Str}), false)
		want := s.last()
		question := s.items(t, first.Get("id").Str, "")[0]
		items := append([]gjson.Result{question}, first.Get("output").Array()...)
		references, values := list{}, list{}
		for _, item := range items {
			references = append(references, object{"type": "item_reference", "id": item.Get("id").Str})
			values = append(values, item.Value())
		}
		s.create(t, texts("ok"), encoded(object{"input": append(references, output)}), false)
		assert.JSONEq(t, want.body, s.last().body, "references")
		s.create(t, texts("ok"), encoded(object{"input": append(values, output), "store": false}), false)
		assert.JSONEq(t, want.body, s.last().body, "reasoning without its encrypted content")
	})
}

// TestStoredDeleted has unstored, deleted and failed responses.
func TestStoredDeleted(t *testing.T) {
	t.Parallel()
	ofEvery(t, func(t *testing.T, s *storing) {
		for _, stream := range []bool{true, false} {
			response := s.create(t, texts("ok"), `{"input":"q","store":false}`, stream)
			assert.False(t, response.Get("store").Bool())
			s.refused(t, 404, "not found", "GET", "/v1/responses/"+response.Get("id").Str, "")
		}
		responses, parts := s.storedRows(t, "deployment")
		assert.Equal(t, []int{0, 0}, []int{responses, parts})

		first := s.create(t, texts("one"), `{"input":"q"}`, false).Get("id").Str
		second := s.create(t, texts("two"), `{"input":"q","previous_response_id":"`+first+`"}`,
			true).Get("id").Str
		responses, parts = s.storedRows(t, "deployment")
		deleted := s.ask("DELETE", "/v1/responses/"+first, "")
		assert.Equal(t, 200, deleted.Code)
		assert.JSONEq(t, `{"id":"`+first+`","object":"response","deleted":true}`, deleted.text())
		left, leftParts := s.storedRows(t, "deployment")
		assert.Equal(t, []int{responses - 1, parts - 4}, []int{left, leftParts})
		s.refused(t, 404, "Response with id '"+first+"' not found", "GET", "/v1/responses/"+first, "")
		s.refused(t, 404, "not found", "DELETE", "/v1/responses/"+first, "")
		s.refused(t, 404, "not found", "GET", "/v1/responses/"+second+"/input_items", "")
		for _, id := range []string{first, second} {
			e := s.refused(t, 400, "", "POST", "/v1/responses", creation(`{"previous_response_id":"`+id+`"}`))
			assert.JSONEq(t, encoded(object{"message": "previous_response_id: Previous response with id '" +
				first + "' not found.", "type": "invalid_request_error",
				"param": "previous_response_id", "code": "previous_response_not_found"}), e.Raw)
		}
		assert.Equal(t, "two", s.retrieve(t, second).Get("output.0.content.0.text").Str)

		cut := texts("long")
		cut.Stop = "length"
		response := s.create(t, cut, `{"input":"q"}`, false)
		assert.Equal(t, "incomplete", response.Get("status").Str)
		assert.Equal(t, "incomplete", s.retrieve(t, response.Get("id").Str).Get("status").Str)
		responses, parts = s.storedRows(t, "deployment")
		s.upstreams["up.test"] = func(*sent) *reply {
			return &reply{status: 200, header: map[string]string{"Content-Type": "text/event-stream"},
				chunks: []string{}, err: fmt.Errorf("cut")}
		}
		failed := s.ask("POST", "/v1/responses", creation(`{"stream":true}`))
		assert.True(t, failed.Code != 200 || strings.Contains(failed.text(), "event: response.failed\n"),
			failed.text())
		left, leftParts = s.storedRows(t, "deployment")
		assert.Equal(t, []int{responses, parts}, []int{left, leftParts})
	})
}
