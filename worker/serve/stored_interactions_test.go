package serve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/vendors"
)

const (
	noInteraction = "v1_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" // the id of no interaction
	interactions  = "/v1beta/interactions"
	weatherStep   = `{"type":"function","name":"get_weather","parameters":{"type":"object",` +
		`"properties":{"city":{"type":"string"}}}}`
)

// interact creates an interaction, and returns its resource and the upstream's body. A stream is put
// together.
func (s *storing) interact(t *testing.T, turn *vendors.Turn, params string, stream bool) (got gjson.Result,
	upstreamBody string) {
	t.Helper()
	play := lenient(s.protocol, turn)
	s.upstreams["up.test"] = func(r *sent) *reply {
		upstreamBody = r.body
		return play(r)
	}
	a := s.ask("POST", interactions, streamed(with(`{"model":"some-model","tools":[`+weatherStep+`],`+
		`"generation_config":{"thinking_summaries":"auto"}}`, params), stream))
	require.Equal(t, 200, a.Code, a.text())
	if !stream {
		answers.CheckBody(t, "interactions", false, []byte(a.text()))
		return a.get("@this"), upstreamBody
	}
	whole := a.text()
	answers.CheckStream(t, "interactions", true, []byte(whole))
	frames := answers.Frames(t, []byte(whole))
	return gjson.Get(frames[len(frames)-2].Data, "interaction"), upstreamBody
}

// stored gets a stored interaction.
func (d *deployment) interaction(t *testing.T, path string) gjson.Result {
	t.Helper()
	a := d.ask("GET", interactions+"/"+path, "")
	require.Equal(t, 200, a.Code, a.text())
	return a.get("@this")
}

// TestStoredInteractions runs a tool loop with previous_interaction_id. The upstream must get the same
// bodies as with the whole conversation, and GET the same steps as the client.
func TestStoredInteractions(t *testing.T) {
	for _, protocol := range append(slices.Clone(upstreamProtocols), "interactions") {
		for _, stream := range []bool{true, false} {
			t.Run(fmt.Sprint(protocol, " ", stream), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := storingOf(t, protocol, nil)
					s.loopOfInteractions(t, stream)
				})
			})
		}
	}
}

func (s *storing) loopOfInteractions(t *testing.T, stream bool) {
	first, _ := s.interact(t, called(s.protocol, 1), `{"input":"q"}`, stream)
	require.Equal(t, "requires_action", first.Get("status").Str)
	id := first.Get("id").Str
	require.True(t, strings.HasPrefix(id, "v1_"), id)
	shown := s.interaction(t, id)
	require.Equal(t, id, shown.Get("id").Str)
	if !stream {
		require.Equal(t, first.Raw, shown.Raw)
	}
	call := shown.Get(`steps.#(type=="function_call")`)
	require.Equal(t, "get_weather", call.Get("name").Str)
	result := fmt.Sprintf(`{"type":"function_result","call_id":%q,"name":"get_weather","result":"rain"}`,
		call.Get("id").Str)
	second, continued := s.interact(t, texts("It rains."),
		`{"previous_interaction_id":"`+id+`","input":[`+result+`]}`, stream)
	steps := shown.Get("steps").Raw
	history := `{"type":"user_input","content":[{"type":"text","text":"q"}]},` + steps[1:len(steps)-1] + `,` + result
	_, whole := s.interact(t, texts("It rains."), `{"store":false,"input":[`+history+`]}`, stream)
	if s.protocol != "interactions" { // there the body passes unchanged
		require.Equal(t, whole, continued)
	}

	third, _ := s.interact(t, texts("Bye."), `{"previous_interaction_id":"`+second.Get("id").Str+
		`","input":{"type":"text","text":"Thanks."}}`, stream)
	full := s.interaction(t, third.Get("id").Str+"?include_input=true")
	require.Equal(t, second.Get("id").Str, full.Get("previous_interaction_id").Str)
	kinds := []string{}
	for _, step := range full.Get("input").Array() {
		if kind := step.Get("type").Str; kind != "thought" {
			kinds = append(kinds, kind)
		}
	}
	require.Equal(t, []string{"user_input", "function_call", "function_result", "model_output", "user_input"},
		kinds)
	require.Equal(t, "Bye.", full.Get("steps.#(type==model_output).content.0.text").Str)
	require.Equal(t, full.Get("steps").Raw, s.interaction(t, third.Get("id").Str).Get("steps").Raw)
}

// TestInteractionsNotStored has unknown, deleted, expired and unstored interactions, in Google's form of
// errors.
func TestInteractionsNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storingOf(t, "chat", nil)
		refused := func(status int, code, message, method, path, body string) {
			t.Helper()
			a := s.ask(method, interactions+path, body)
			require.Equal(t, status, a.Code, a.text())
			assert.Equal(t, code, a.get("error.code").Str)
			assert.Regexp(t, message, a.get("error.message").Str)
			answers.CheckErrorBody(t, "interactions", []byte(a.text()))
		}
		asks := func(id string) string {
			return `{"model":"m","input":"q","previous_interaction_id":"` + id + `"}`
		}
		for _, id := range []string{noInteraction, noResponse, "v1_x"} {
			refused(404, "not_found", "^Interaction with id '"+id+"' not found.$", "GET", "/"+id, "")
			refused(404, "not_found", "not found", "DELETE", "/"+id, "")
			refused(400, "invalid_request", "^previous_interaction_id: Previous interaction with id '"+id+
				"' not found.$", "POST", "", asks(id))
		}
		refused(400, "invalid_request", "^previous_interaction_id: .* string is expected", "POST", "",
			`{"model":"m","input":"q","previous_interaction_id":7}`)
		refused(400, "invalid_request", "background interactions", "POST", "/"+noInteraction+"/cancel", "")

		got, _ := s.interact(t, texts("a"), `{"input":"q"}`, false)
		id := got.Get("id").Str
		refused(400, "invalid_request", "^stream: ", "GET", "/"+id+"?stream=true", "")
		// the paths of errors are those of the client's own input
		refused(400, "invalid_request", `^input\[0\]\.call_id: `, "POST", "",
			`{"model":"m","input":[{"type":"function_result"}],"previous_interaction_id":"`+id+`"}`)
		a := s.ask("DELETE", interactions+"/"+id, "")
		require.Equal(t, 200, a.Code)
		require.Equal(t, `{}`, a.text())
		refused(404, "not_found", "not found", "GET", "/"+id, "")
		refused(400, "invalid_request", "not found", "POST", "", asks(id))

		got, _ = s.interact(t, texts("a"), `{"input":"q"}`, false)
		s.later(400 * 24 * time.Hour)
		refused(404, "not_found", "not found", "GET", "/"+got.Get("id").Str, "")
		refused(400, "invalid_request", "not found", "POST", "", asks(got.Get("id").Str))

		got, _ = s.interact(t, texts("a"), `{"input":"q","store":false}`, false)
		require.False(t, got.Get("id").Exists(), "an interaction that is not stored has no id")
	})
	s := storingOf(t, "chat", map[string]string{})
	for method, path := range map[string]string{"GET": "/" + noInteraction, "DELETE": "/" + noInteraction} {
		a := s.ask(method, interactions+path, "")
		require.Equal(t, 404, a.Code)
		require.Contains(t, a.get("error.message").Str, `interactions are not stored here. The endpoint's option "store":"on"`)
	}
	a := s.ask("POST", interactions, `{"model":"m","input":"q","previous_interaction_id":"`+noInteraction+`"}`)
	require.Equal(t, 400, a.Code)
	require.Contains(t, a.get("error.message").Str, "Interactions are not stored here")
}

// TestStoredAcrossAPIs: a response is no interaction, and an interaction no response.
func TestStoredAcrossAPIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storingOf(t, "chat", nil)
		got, _ := s.interact(t, texts("a"), `{"input":"q"}`, false)
		made := s.create(t, texts("a"), `{"input":"q"}`, false)
		require.Equal(t, 404, s.ask("GET", "/v1/responses/"+got.Get("id").Str, "").Code)
		require.Equal(t, 404, s.ask("GET", interactions+"/"+made.Get("id").Str, "").Code)
		require.Equal(t, 404, s.ask("DELETE", interactions+"/"+made.Get("id").Str, "").Code)
		require.Equal(t, made.Get("id").Str, s.retrieve(t, made.Get("id").Str).Get("id").Str)
	})
}
