package gemini

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/anthropic"
	"edgelingua/translator/chat"
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/responses"
)

// TestSignaturesThroughClients sends an answer to a client of each API, and back with the client's
// next turn: each signature comes back in its place.
func TestSignaturesThroughClients(t *testing.T) {
	const answer = `{"text":"t","thought":true,"thoughtSignature":"VEg="},{"text":"a"},{"text":"",` +
		`"thoughtSignature":"VFg="},` +
		`{"functionCall":{"name":"f","args":{"a":1},"id":"abc"},"thoughtSignature":"Q0E="},` +
		`{"functionCall":{"name":"g","args":{"a":1},"id":"def"}}`
	const want = `u {"text":"hi"}
m {"text":"t","thought":true,"thoughtSignature":"VEg="}
  {"text":"a"}
  {"text":"","thoughtSignature":"VFg="}
  {"functionCall":{"name":"f","args":{"a":1},"id":"abc"},"thoughtSignature":"Q0E="}
  {"functionCall":{"name":"g","args":{"a":1},"id":"def"}}
u {"functionResponse":{"name":"f","id":"abc","response":{"output":"1"}}}
  {"functionResponse":{"name":"g","id":"def","response":{"output":"2"}}}`
	for _, c := range []struct {
		api   *ir.API
		first string // the first request
		next  func(answer []byte) string
	}{
		{&anthropic.API,
			`{"model":"m","max_tokens":9,"thinking":{"type":"adaptive"},"messages":[{"role":"user",` +
				`"content":"hi"}]}`, func(answer []byte) string {
				var a struct{ Content json.RawMessage }
				require.NoError(t, json.Unmarshal(answer, &a))
				return `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"},` +
					`{"role":"assistant","content":` + string(a.Content) + `},{"role":"user","content":[` +
					`{"type":"tool_result","tool_use_id":"abc","content":"1"},{"type":"tool_result",` +
					`"tool_use_id":"def","content":"2"}]}]}`
			}},
		{&chat.API, `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, func(answer []byte) string {
			var a struct {
				Choices []struct{ Message json.RawMessage }
			}
			require.NoError(t, json.Unmarshal(answer, &a))
			return `{"model":"m","messages":[{"role":"user","content":"hi"},` +
				string(a.Choices[0].Message) +
				`,{"role":"tool","tool_call_id":"abc","content":"1"},{"role":"tool","tool_call_id":"def",` +
				`"content":"2"}]}`
		}},
		{&responses.API, `{"model":"m","input":"hi","include":["reasoning.encrypted_content"]}`,
			func(answer []byte) string {
				var a struct{ Output []json.RawMessage }
				require.NoError(t, json.Unmarshal(answer, &a))
				items := `{"role":"user","content":"hi"}`
				for _, item := range a.Output {
					items += "," + string(item)
				}
				return `{"model":"m","input":[` + items +
					`,{"type":"function_call_output","call_id":"abc","output":"1"},` +
					`{"type":"function_call_output","call_id":"def","output":"2"}]}`
			}},
	} {
		t.Run(c.api.Name, func(t *testing.T) {
			r, err := c.api.Client.DecodeRequest("", c.first, &ir.Lost{})
			require.Nil(t, err)
			folder := c.api.Client.NewPlainEncoder(r, "m", nil)
			newDecoder(r, &ir.Target{}, &ir.Lost{}, folder).Body(chunk(answer, stop))
			out, err := folder.Body()
			require.Nil(t, err)
			r, err = c.api.Client.DecodeRequest("", c.next(out), &ir.Lost{})
			require.Nil(t, err)
			got, lost := contents(t, ir.Request{Messages: r.Messages}, gemini3Pro)
			require.Equal(t, want, got)
			require.Empty(t, lost)
		})
	}
}

// TestSignaturesOfAnotherServer sends a turn with the signatures of one Google server to the other
// server, which would reject the signatures.
func TestSignaturesOfAnotherServer(t *testing.T) {
	studio, vertex := *Upstream{}.Target("generativelanguage.googleapis.com",
		"gemini-3-pro"), *Upstream{}.Target("aiplatform.googleapis.com", "gemini-3-pro")
	for _, c := range []struct {
		origin string
		target ir.Target
		own    bool
	}{{Name, studio, true}, {vertexOrigin, vertex, true}, {Name, vertex, false}, {vertexOrigin, studio,
		false}} {
		require.Equal(t, c.own, originOf(&c.target) == c.origin)
		call := ir.Content{Kind: ir.ToolCallContent, ID: "abc", Name: "f", Input: "{}"}
		signed := ir.Content{Kind: ir.RedactedContent, Origin: c.origin, Signature: "c2ln",
			At: ir.Pos{Form: "signature"}}
		got, lost := contents(t, ir.Request{Messages: []ir.Message{said(ir.User, "hi"), says(signed, call),
			gets(returns("abc", text("1")))}}, c.target)
		if c.own {
			require.Contains(t, got, `"thoughtSignature":"c2ln"`)
			require.Empty(t, lost)
		} else {
			require.Contains(t, got, google.Unsigned)
			require.Equal(t, []string{"signature"}, lost)
		}
		if c.target.VertexAI {
			require.NotContains(t, got, `"id"`)
		}
	}
	// Signatures from a Gemini client have no origin: either server gets them.
	for _, target := range []ir.Target{studio, vertex} {
		r, err := Client{}.DecodeRequest(conversePath,
			`{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model",`+
				`"parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"c2ln"}]},`+
				`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"1"}}}]}]}`,
			&ir.Lost{})
		require.Nil(t, err)
		body, err := Upstream{}.AppendRequest(nil, r, &target, &ir.Lost{})
		require.Nil(t, err)
		require.Contains(t, string(body), `"thoughtSignature":"c2ln"`)
	}
}

// TestReasoningOfAnotherVendor sends an answer of Claude's to a client that stores only texts and
// calls, like gemini-cli 0.61: all of Claude's thoughts come back, each in its place.
func TestReasoningOfAnotherVendor(t *testing.T) {
	r, refused := Client{}.DecodeRequest(conversePath,
		`{"contents":[{"role":"user","parts":[{"text":"a"}]}],`+
			`"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`, &ir.Lost{})
	require.Nil(t, refused)
	folder := Client{}.NewPlainEncoder(r, "m", nil)
	anthropic.Upstream{}.NewDecoder(r, &ir.Target{}, &ir.Lost{},
		folder).Body(`{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[` +
		`{"type":"thinking","thinking":"A","signature":"SIGA"},{"type":"text","text":"said"},` +
		`{"type":"thinking","thinking":"B","signature":"SIGB"},` +
		`{"type":"tool_use","id":"toolu_1","name":"f","input":{}}],"stop_reason":"tool_use",` +
		`"usage":{"input_tokens":1,"output_tokens":1}}`)
	out, refused := folder.Body()
	require.Nil(t, refused)
	var answer struct {
		Candidates []struct {
			Content struct{ Parts []map[string]any }
		}
	}
	require.NoError(t, json.Unmarshal(out, &answer))
	var kept []map[string]any
	for _, p := range answer.Candidates[0].Content.Parts {
		if p["thought"] != true && p["text"] != "" {
			kept = append(kept, p)
		}
	}
	require.Len(t, kept, 2)
	parts, err := json.Marshal(kept)
	require.NoError(t, err)
	var got []string
	for _, c := range decodeParts(t, string(parts[1:len(parts)-1])) {
		got = append(got, strings.TrimSpace(string(c.Text+" "+c.Signature+c.Name)))
	}
	require.Equal(t, []string{"A SIGA", "said", "B SIGB", "f"}, got)
}
