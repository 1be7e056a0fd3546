package translator_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/toy"
	"edgelingua/wasmtest/answers"
)

// These tests check the promise of CONTRIBUTING.md about a new protocol: a folder like package toy
// is enough to work with all three others.

var toySays = []string{`{"id":"a1"}`, `{"say":"Let me \"look\""}`, `{"say":" é\ud83d"}`,
	`{"call":"call_1","tool":"weather","with":{"city":"Paris","n":1.0}}`,
	`{"call":"call_2","tool":"weather","with":{}}`, `{"end":"tool","in":7,"out":5}`}

const toyPath = "/toy/m:stream"

const toyAsks = `{"turns":[{"who":"user","say":"Weather in \"Paris\"?"},{"who":"model","call":"call_1",` +
	`"tool":"weather","with":{"city":"Paris"}},` +
	`{"who":"tool","call":"call_1","say":"Rain"}],"tools":[{"name":"weather","takes":{"type":"object",` +
	`"properties":{"city":{"type":"string"}}}},{"name":"clock","takes":{"type":"object",` +
	`"properties":{}}}],"mood":"bright"}`

func toyStream(parts []string) []byte {
	return []byte("data: " + strings.Join(parts, "\n\ndata: ") + "\n\n")
}

// TestToyPaths: a path may have a query.
func TestToyPaths(t *testing.T) {
	require.Equal(t, "m", toy.Client{}.Model("/toy/m:stream?key=1", ""))
	require.Equal(t, "m", toy.Client{}.Model("/toy/m:say", ""))
	streams, counted := toy.Client{}.Streams("/toy/m:stream?key=1", "")
	require.Equal(t, [2]bool{true, true}, [2]bool{streams, counted})
}

// TestToyAsks sends a request of the toy's client to each upstream. The upstream's body, read as
// its client's, then goes to the toy's upstream.
func TestToyAsks(t *testing.T) {
	for _, name := range protocols {
		t.Run(name, func(t *testing.T) {
			x, refused := translator.Pair{Client: &toy.API, Upstream: translator.API(name)}.Decode(toyPath,
				[]byte(toyAsks))
			require.Nil(t, refused)
			body, refused := x.AppendRequest(nil, &ir.Target{})
			require.Nil(t, refused)
			require.Equal(t, []string{"mood"}, x.Lost.Paths())
			checkRequest(t, x, body)

			y, refused := translator.Pair{Client: translator.API(name), Upstream: &toy.API}.Decode("", body)
			require.Nil(t, refused)
			again, refused := y.AppendRequest(nil, &ir.Target{})
			require.Nil(t, refused)
			// an API may have no ids of calls
			asked := strings.ReplaceAll(withoutSchemaFill(t, again), "call_made_1", "call_1")
			require.JSONEq(t, strings.ReplaceAll(toyAsks, `,"mood":"bright"`, ""), asked)
		})
	}
}

// withoutSchemaFill removes members that the other protocols' upstreams add to a schema.
func withoutSchemaFill(t *testing.T, body []byte) string {
	var request map[string]any
	require.NoError(t, json.Unmarshal(body, &request))
	for _, tool := range request["tools"].([]any) {
		schema := tool.(map[string]any)["takes"].(map[string]any)
		delete(schema, "additionalProperties")
		delete(schema, "required")
	}
	out, err := json.Marshal(request)
	require.NoError(t, err)
	return string(out)
}

// TestToyAnswers sends an answer of the toy's upstream to each client. The client's answer, read as
// its upstream's, then goes to the toy's client.
func TestToyAnswers(t *testing.T) {
	for _, name := range protocols {
		t.Run(name, func(t *testing.T) {
			asked, refused := translator.Pair{Client: &toy.API,
				Upstream: translator.API(name)}.Decode(toyPath, []byte(toyAsks))
			require.Nil(t, refused)
			request, refused := asked.AppendRequest(nil, &ir.Target{})
			require.Nil(t, refused)
			x, refused := translator.Pair{Client: translator.API(name), Upstream: &toy.API}.Decode("",
				request)
			require.Nil(t, refused)

			stream := pushed(x, toyStream(toySays), 1)
			answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, stream)
			require.Equal(t, string(stream), string(pushed(x, toyStream(toySays), 100)))
			require.Equal(t, merged(toySays), merged(partsOf(t, pushed(asked, stream, 1))))

			plain, failure := x.AppendBody(nil, []byte(`{"parts":[`+strings.Join(toySays, ",")+`]}`))
			require.Nil(t, failure)
			answers.CheckBody(t, x.Request.API.Name, x.Request.API.Name == x.Upstream(), plain)
			back, failure := asked.AppendBody(nil, plain)
			require.Nil(t, failure)
			var body struct{ Parts []json.RawMessage }
			require.NoError(t, json.Unmarshal(back, &body))
			var parts []string
			for _, part := range body.Parts {
				parts = append(parts, string(part))
			}
			require.Equal(t, merged(toySays), merged(parts))
		})
	}
}

// TestToyFails sends a failure of the toy's upstream, and a stream that breaks off, to each client,
// and the client's result to the toy's client.
func TestToyFails(t *testing.T) {
	for _, name := range protocols {
		for _, parts := range [][]string{append(toySays[:3:3], `{"wrong":"out of \"ink\""}`), toySays[:5]} {
			t.Run(name, func(t *testing.T) {
				asked, _ := translator.Pair{Client: &toy.API, Upstream: translator.API(name)}.Decode(toyPath,
					[]byte(toyAsks))
				request, _ := asked.AppendRequest(nil, &ir.Target{})
				x, refused := translator.Pair{Client: translator.API(name), Upstream: &toy.API}.Decode("",
					request)
				require.Nil(t, refused)
				stream := pushed(x, toyStream(parts), 7)
				answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, stream)
				got := partsOf(t, pushed(asked, stream, 7))
				require.Contains(t, got[len(got)-1], `{"wrong":`)
				_, failure := x.AppendFolded(nil, toyStream(parts))
				require.NotNil(t, failure)
			})
		}
	}
}

// partsOf cuts a stream of the toy into its parts.
func partsOf(t *testing.T, stream []byte) (parts []string) {
	for _, line := range strings.Split(strings.TrimSpace(string(stream)), "\n\n") {
		part, ok := strings.CutPrefix(line, "data: ")
		require.True(t, ok, line)
		parts = append(parts, part)
	}
	return parts
}

// merged returns parts with neighbouring pieces of text joined, and without ids, which each
// protocol makes up.
func merged(parts []string) (out []string) {
	for _, part := range parts {
		text, isText := strings.CutPrefix(part, `{"say":"`)
		switch last := len(out) - 1; {
		case strings.HasPrefix(part, `{"id":`):
		case isText && last >= 0 && strings.HasPrefix(out[last], `{"say":"`):
			out[last] = strings.TrimSuffix(out[last], `"}`) + text
		default:
			out = append(out, part)
		}
	}
	return out
}
