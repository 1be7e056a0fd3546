package serve_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/store"
)

// contents returns the contents of the messages in the last request to an upstream.
func (s *storing) contents() list { return elements(s.last().body, "messages.#.content") }

// TestSamePreviousAtOnce sends two requests with the same previous response at once, and continues
// from each.
func TestSamePreviousAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := storingOf(t, "chat", nil)
		root := s.create(t, texts("ok"), `{"input":"root"}`, false).Get("id").Str
		var both sync.WaitGroup
		both.Add(2)
		s.upstreams["up.test"] = func(r *sent) *reply {
			both.Done()
			both.Wait()
			messages := gjson.Get(r.body, "messages").Array()
			return lenient("chat", texts("to "+messages[len(messages)-1].Get("content").Str))(r)
		}
		names := []string{"left", "right"}
		all := make([]*answer, 2)
		var over sync.WaitGroup
		for i, name := range names {
			over.Go(func() {
				all[i] = s.ask("POST", "/v1/responses",
					creation(`{"input":"`+name+`","previous_response_id":"`+root+`"}`))
			})
		}
		over.Wait()
		for i, name := range names {
			require.Equal(t, 200, all[i].Code, all[i].text())
			assert.Equal(t, "to "+name, all[i].get("output.0.content.0.text").Str)
			s.create(t, texts("ok"), `{"input":"on","previous_response_id":"`+all[i].get("id").Str+`"}`, true)
			assert.Equal(t, list{"root", "ok", name, "to " + name, "on"}, s.contents())
		}
	})
}

// TestStoredPaths names members of the client's own input, and counts the tokens of the whole
// conversation.
func TestStoredPaths(t *testing.T) {
	t.Parallel()
	s := storingOf(t, "chat", nil)
	id := s.create(t, texts("ok"), `{"input":[{"role":"user","content":"root","odd":1}]}`,
		false).Get("id").Str
	request := creation(`{"previous_response_id":"` + id +
		`","input":[{"role":"user","content":"q"},{"role":"user","content":7}]}`)
	e := s.refused(t, 400, `'input\[1\]\.content'`, "POST", "/v1/responses", request)
	assert.Equal(t, "input[1].content", e.Get("param").Str)
	assert.Equal(t, "input[1].content", s.refused(t, 400, "", "POST", inputTokens, request).Get("param").Str)
	a := s.ask("POST", "/v1/responses", with(request, `{"input":[{"role":"user","content":"q","odd":1}]}`))
	assert.Equal(t, 200, a.Code)
	assert.Equal(t, "previous_response_id,input[0].odd", a.Header().Get("X-Edgelingua-Lost"))

	id = s.create(t, texts("ok"), `{"input":"one two three four five six seven"}`, false).Get("id").Str
	short := s.count(t, inputTokens, creation(""))
	assert.Greater(t, s.count(t, inputTokens, creation(`{"previous_response_id":"`+id+`"}`)), short+6)
}

// TestStoredIDs has ids of no response and of no item.
func TestStoredIDs(t *testing.T) {
	t.Parallel()
	s := storingOf(t, "chat", nil)
	for _, id := range []string{"resp_1", noResponse, "é", noResponse[:len(noResponse)-1] + "é"} {
		path := "/v1/responses/" + strings.ReplaceAll(id, "é", "%C3%A9")
		s.refused(t, 404, "not found", "GET", path, "")
		s.refused(t, 404, "not found", "DELETE", path, "")
		s.refused(t, 404, "not found", "GET", path+"/input_items", "")
		s.refused(t, 400, "not found", "POST", "/v1/responses", creation(`{"previous_response_id":"`+id+`"}`))
	}
	s.refused(t, 400, "Invalid type for 'previous_response_id'", "POST", "/v1/responses",
		creation(`{"previous_response_id":7}`))
	s.refused(t, 400, "not found", "POST", "/v1/responses", creation(`{"previous_response_id":""}`))
	for _, id := range []string{"msg_1", "msg_" + noResponse[5:] + "_0"} {
		s.refused(t, 404, `input\[1\]: Item with id`, "POST", "/v1/responses",
			creation(`{"input":[{"role":"user","content":"q"},{"type":"item_reference","id":"`+id+`"}]}`))
	}
	id := s.create(t, texts("ok"), `{"input":"q"}`, false).Get("id").Str
	s.refused(t, 404, "not found", "POST", "/v1/responses",
		creation(`{"input":[{"type":"item_reference","id":"msg_`+id[5:]+`_1"}]}`))
}

// TestStoredExpiry: responses expire after 30 days, and the next write deletes them.
func TestStoredExpiry(t *testing.T) {
	t.Parallel()
	s := storingOf(t, "chat", nil)
	const month = 30 * 24 * time.Hour
	first := s.create(t, texts("ok"), `{"input":"q"}`, false)
	id := first.Get("id").Str
	rows, err := s.store.Batch("deployment",
		[]store.Statement{{SQL: "SELECT expires FROM responses WHERE id = ?", Args: []any{id}}})
	require.NoError(t, err)
	assert.Equal(t, []any{float64(s.now().Add(month).Unix())}, rows[0].Values)
	s.later(time.Hour)
	second := s.create(t, texts("ok"), `{"input":"q","previous_response_id":"`+id+`"}`, false).Get("id").Str
	s.later(month - time.Hour)
	responses, parts := s.storedRows(t, "deployment")
	s.refused(t, 404, "not found", "GET", "/v1/responses/"+id, "")
	s.refused(t, 404, "not found", "DELETE", "/v1/responses/"+id, "")
	s.refused(t, 404, "not found", "GET", "/v1/responses/"+id+"/input_items", "")
	for _, previous := range []string{id, second} {
		s.refused(t, 400, "Previous response with id '"+id+"' not found", "POST", "/v1/responses",
			creation(`{"previous_response_id":"`+previous+`"}`))
	}
	s.refused(t, 404, "not found", "POST", "/v1/responses",
		creation(`{"input":[{"type":"item_reference","id":"`+first.Get("output.0.id").Str+`"}]}`))
	check := func(why string) {
		t.Helper()
		now, nowParts := s.storedRows(t, "deployment")
		assert.Equal(t, []int{responses - 1, parts - 4}, []int{now, nowParts}, why)
	}
	check("the request to delete it deletes it, though it has expired")
	s.create(t, texts("ok"), `{"input":"q"}`, false)
	s.later(month)
	s.create(t, texts("ok"), `{"input":"q"}`, false)
	responses, parts = 2, 8
	check("two have gone with the write of a third")
}

// TestStoredHistory stores a history of 5 MB in pieces, and continues from the history.
func TestStoredHistory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := storingOf(t, "chat", nil)
		var large, contents list
		for _, letter := range "abcde" {
			content := list{object{"type": "input_text",
				"text": strings.Repeat(string(letter), 1<<20) + `é"`}}
			contents = append(contents, content)
			large = append(large, object{"role": "user", "content": content})
		}
		first := s.create(t, texts("short"), encoded(object{"input": large}), true).Get("id").Str
		sent := gjson.Get(s.last().body, "messages").Array()
		long := strings.Repeat("long ", 1<<18)
		second := s.create(t, texts(long), `{"input":"and?","previous_response_id":"`+first+`"}`,
			false).Get("id").Str
		third := s.create(t, texts("ok"), `{"input":"and?","previous_response_id":"`+second+`"}`,
			true).Get("id").Str
		again := gjson.Get(s.last().body, "messages").Array()
		for i := range sent {
			assert.Equal(t, sent[i].Raw, again[i].Raw)
		}
		assert.Equal(t, long, again[len(again)-2].Get("content").Str)
		rows, err := s.store.Batch("deployment",
			[]store.Statement{{SQL: "SELECT max(length(data)) FROM response_parts"}})
		require.NoError(t, err)
		assert.Equal(t, []any{float64(1 << 20)}, rows[0].Values)
		items := s.items(t, third, "limit=3&order=asc")
		require.Len(t, items, 9)
		for i, content := range contents {
			assert.Equal(t, content, items[i].Get("content").Value())
		}
	})
}

// TestStoredTooLong refuses conversations over 16 MB.
func TestStoredTooLong(t *testing.T) {
	t.Parallel()
	s := storingOf(t, "chat", nil)
	body := func(letter string, megabytes int, more string) string {
		return with(`{"input":[{"role":"user","content":"`+strings.Repeat(letter, megabytes<<20)+`"}]}`, more)
	}
	first := s.create(t, texts("ok"), body("x", 8, ""), false).Get("id").Str
	after := `{"previous_response_id":"` + first + `"}`
	s.refused(t, 400, `The stored conversation is over 16 MB\. Begin a new one`, "POST", "/v1/responses",
		creation(body("y", 9, after)))
	second := s.create(t, texts("ok"), body("y", 7, after), false).Get("id").Str
	s.refused(t, 400, `The stored conversation is over 15 MB\. Begin a new one`, "POST", "/v1/responses",
		creation(`{"previous_response_id":"`+second+`"}`))
	reference := `{"type":"item_reference","id":"msg_` + first[5:] + `_i0"}`
	for _, n := range []int{2, 600} {
		s.refused(t, 400, "over 16 MB", "POST", "/v1/responses",
			creation(`{"input":[`+strings.Repeat(reference+",", n-1)+reference+`]}`))
	}
}

// TestStoredOtherWay: the upstream streams for a plain request, and the reverse.
func TestStoredOtherWay(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, stream bool) {
		s := storingOf(t, "chat", nil)
		s.upstreams["up.test"] = func(r *sent) *reply {
			r.body = streamed(r.body, !stream)
			return lenient("chat", texts("ok"))(r)
		}
		a := s.ask("POST", "/v1/responses", streamed(creation(""), stream))
		require.Equal(t, 200, a.Code, a.text())
		response := a.get("@this")
		if stream {
			response = lastResponse(t, a)
		}
		assert.Equal(t, "ok", s.retrieve(t, response.Get("id").Str).Get("output.0.content.0.text").Str)
	})
}

// TestStoredNotServed refuses unserved features by name.
func TestStoredNotServed(t *testing.T) {
	t.Parallel()
	s := storingOf(t, "chat", nil)
	id := s.create(t, texts("ok"), `{"input":"q"}`, false).Get("id").Str
	path := "/v1/responses/" + id
	for _, stream := range []bool{true, false} {
		s.refused(t, 400, "'starting_after'", "GET",
			path+"?starting_after=1&stream="+strconv.FormatBool(stream), "")
	}
	s.refused(t, 400, "Only background responses", "POST", path+"/cancel", "")
	s.refused(t, 400, "'conversation'", "POST", "/v1/responses", creation(`{"conversation":"conv_1"}`))
	for _, query := range []string{"limit=0", "limit=101", "order=up", "after=msg_1"} {
		name, _, _ := strings.Cut(query, "=")
		s.refused(t, 400, "'?"+name, "GET", path+"/input_items?"+query, "")
	}
	s.refused(t, 400, `"required_action":"on"`, "POST", path+"/submit_tool_outputs", `{"tool_outputs":[]}`)
	a := s.ask("PUT", path, "{}")
	assert.Equal(t, 405, a.Code)
	assert.Equal(t, "GET, HEAD, DELETE", a.Header().Get("Allow"))
}

// TestNotStored: if an answer can't be stored, an error replaces the answer's end.
func TestNotStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := storingOf(t, "chat", nil)
		_, err := s.store.Batch("deployment", []store.Statement{{SQL: "CREATE TABLE responses (other)"}})
		require.NoError(t, err)
		s.upstreams["up.test"] = lenient("chat", texts("all of it"))
		s.refused(t, 500,
			`The response could not be stored: statement \d: .*Send the request again, or with `+
				`"store":false`, "POST", "/v1/responses", creation(""))
		a := s.ask("POST", "/v1/responses", creation(`{"stream":true}`))
		frames := a.events(t)
		failed := lastResponse(t, a)
		n := len(frames)
		assert.Equal(t, []string{"response.output_item.done", "error", "response.failed"},
			[]string{frames[n-3].Name, frames[n-2].Name, frames[n-1].Name})
		assert.Contains(t, failed.Get("error.message").Str, "could not be stored")
		assert.Equal(t, "all of it", failed.Get("output.0.content.0.text").Str)
		s.upstreams["up.test"] = says(200, chatAnswer)
		s.refused(t, 500, "", "POST", "/v1/responses",
			creation(`{"stream":true}`)) // the head has not gone out
		s.refused(t, 500, "could not be read", "GET", "/v1/responses/"+noResponse, "")
	})
}

// TestStoredWithoutInput: no Responses upstream stores the request, or leaves out the history.
func TestStoredWithoutInput(t *testing.T) {
	t.Parallel()
	s := storingOf(t, "responses", nil)
	s.upstreams["up.test"] = says(200, "{}")
	for _, more := range []string{"", `{"previous_response_id":"` + noResponse + `"}`,
		`{"previous_response_id":"` + noResponse + `","store":false}`} {
		s.refused(t, 400, "input", "POST", "/v1/responses",
			with(`{"model":"m","prompt":{"id":"pmpt_1"}}`, more))
	}
	assert.Empty(t, s.requests())
	assert.Equal(t, 200, s.ask("POST", "/v1/responses",
		`{"model":"m","prompt":{"id":"pmpt_1"},"store":false}`).Code)
	assert.Len(t, s.requests(), 1)
}

// TestStoreOff: the error names the option for storing.
func TestStoreOff(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	const option = `"store":"on"`
	d.refused(t, 400, `'previous_response_id'.*`+option, "POST", "/v1/responses",
		creation(`{"previous_response_id":"`+noResponse+`"}`))
	d.refused(t, 400, `input\[0\]: .*`+option, "POST", "/v1/responses",
		creation(`{"input":[{"type":"item_reference","id":"msg_1"}]}`))
	path := "/v1/responses/" + noResponse
	d.refused(t, 404, option, "GET", path, "")
	d.refused(t, 404, option, "DELETE", path, "")
	d.refused(t, 404, option, "GET", path+"/input_items", "")
	d.refused(t, 404, option, "POST", path+"/submit_tool_outputs", `{"tool_outputs":[]}`)
	assert.Empty(t, d.requests())
}
