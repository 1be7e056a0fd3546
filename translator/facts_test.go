package translator_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/translator/responses"
	"edgelingua/translator/target"
)

// TestPathsAtVertex has the path of each API at Vertex AI, whole, streamed, and for counts.
func TestPathsAtVertex(t *testing.T) {
	got := map[string][3]string{}
	for _, api := range translator.APIs {
		if v := api.Vertex; v != nil {
			paths := [3]string{v.Path("m", false), v.Path("m", true)}
			if v.CountPath != nil {
				paths[2] = v.CountPath("m")
			}
			got[api.Name] = paths
		}
	}
	require.Equal(t, map[string][3]string{
		"anthropic": {"/publishers/anthropic/models/m:rawPredict", "/publishers/anthropic/models/m:streamRawPredict",
			"/publishers/anthropic/models/count-tokens:rawPredict"},
		"chat": {"/endpoints/openapi/chat/completions", "/endpoints/openapi/chat/completions"},
		"gemini": {"/publishers/google/models/m:generateContent",
			"/publishers/google/models/m:streamGenerateContent?alt=sse", "/publishers/google/models/m:countTokens"},
	}, got)
	for api, want := range map[string][2]string{
		"chat":   {"/embeddings", "/embeddings"},
		"gemini": {"/v1beta/models/m:batchEmbedContents", "/v1beta/models/m:embedContent"},
	} {
		up := translator.API(api).Embeddings.Upstream
		require.Equal(t, want, [2]string{up.EmbedPath("m", false), up.EmbedPath("m", true)}, api)
	}
}

// TestBodiesOfClients: what the worker asks of a body that it may pass on.
func TestBodiesOfClients(t *testing.T) {
	for _, c := range []struct {
		client, path, body                                                    string
		operation                                                             ir.Operation
		model                                                                 string
		streams, foreign, search, fetch, custom, compacted, advisor, deferred bool
	}{
		{client: "anthropic", path: "/v1/messages?beta=true", operation: ir.Converse, model: "m", streams: true,
			search: true, body: `{"model":"m","stream":true,"tools":[{"type":"web_search_20250305"}]}`},
		{client: "anthropic", path: "/v1/messages/count_tokens", operation: ir.Count, fetch: true,
			body: `{"tools":[{"type":"web_fetch_20250910"}],"type":"custom"}`},
		{client: "responses", path: "/v1/responses", operation: ir.Converse, compacted: true,
			body: `{"input":[{"type":"compaction_trigger"}]}`},
		{client: "anthropic", path: "/v1/messages", operation: ir.Converse, advisor: true,
			body: `{"tools":[{"type":"advisor_20260301"}]}`},
		{client: "anthropic", path: "/v1/messages", operation: ir.Converse, deferred: true,
			body: `{"tools":[{"type":"tool_search_tool_bm25"},{"defer_loading":true}]}`},
		{client: "responses", path: "/v1/responses", operation: ir.Converse, custom: true,
			body: `{"tools":[{"type":"tool_search","execution":"client"},{"defer_loading":true}]}`},
		{client: "anthropic", path: "/v1/messages", operation: ir.Converse, body: `{"tools":[{"defer_loading":true}]}`},
		{client: "chat", path: "/v1/chat/completions", operation: ir.Converse, model: "m",
			body: `{"model":"m","tools":[{"type":"custom"}]}`},
		{client: "responses", path: "/v1/responses", operation: ir.Converse, model: "m", custom: true,
			body: `{"model":"m","tools":[{"type":"custom"}]}`},
		{client: "responses", path: "/v1/responses", operation: ir.Converse, custom: true,
			body: `{"tools":[{"type" : "apply_patch"}]}`},
		{client: "responses", path: "/v1/responses", operation: ir.Converse, foreign: true,
			body: `{"store":false,"input":[{"type":"reasoning","encrypted_content":null}]}`},
		{client: "responses", path: "/v1/responses/compact", operation: ir.Compact, compacted: true, body: `{}`},
		{client: "gemini", path: "/v1beta/models/m:streamGenerateContent?alt=sse", operation: ir.Converse,
			model: "m", streams: true, body: `{}`},
		{client: "gemini", path: "/v1beta/models/m:generateContent", operation: ir.Converse, model: "m",
			foreign: true, body: `{"contents":[{"parts":[{"thoughtSignature":"ZWwxOmFiYw=="}]}]}`},
		{client: "interactions", path: "/v1beta/interactions", operation: ir.Converse, model: "m", streams: true,
			foreign: true, body: `{"model":"models/m","stream":true,"input":[{"signature":"ZWwxOmFiYw=="}]}`},
		{client: "interactions", path: "/v1beta/interactions", operation: ir.Converse, body: `{"stream":false}`},
	} {
		api, body := translator.API(c.client), []byte(c.body)
		require.Equal(t, c.operation, passing.Asks(api, c.path), c.path)
		require.Equal(t, c.model, passing.Model(api, c.path, body), c.body)
		streams, counted := passing.Streams(api, c.path, body)
		require.Equal(t, c.streams, streams, c.body)
		require.Equal(t, c.client != "chat" || !streams, counted, c.body)
		require.Equal(t, c.foreign, passing.HoldsForeign(api, body), c.body)
		search, fetch, advisor := passing.MentionsTools(body)
		require.Equal(t, [3]bool{c.search, c.fetch, c.advisor}, [3]bool{search, fetch, advisor}, c.body)
		require.Equal(t, c.deferred, passing.MentionsDeferred(body), c.body)
		require.Equal(t, c.custom, passing.HoldsCustom(api, body), c.body)
		require.Equal(t, c.compacted, passing.Compacted(api, c.path, body), c.body)
	}
}

// TestIDsOfResponses: ids of stored answers, and of those that only a connection remembers.
func TestIDsOfResponses(t *testing.T) {
	random := strings.Repeat("aB3-_", 9)[:43]
	id, brief := responses.ResponseID(random), responses.BriefID(random)
	require.Equal(t, "resp_"+random, id)
	require.Equal(t, "resp_"+random[:22], brief)
	require.True(t, responses.IsResponseID(id))
	for _, other := range []string{brief, id + "a", id[:len(id)-1], "resq_" + random, id[:len(id)-1] + "!", ""} {
		require.False(t, responses.IsResponseID(other), other)
	}
}

// TestWindows has models of several rows, of the longest row that fits, and of none.
func TestWindows(t *testing.T) {
	for model, want := range map[string]int64{"gemini-3-pro": 1048576, "models/GEMINI-4-flash": 983040,
		"grok-4": 256000, "grok-4-fast-reasoning": 2000000, "codestral-2508": 256000, "": 0, "no-such-model": 0,
		"xgrok-4": 0, "grok.4": 256000, "grokx4": 0, "grok-4x5": 0, "gro.-4": 0} {
		require.Equal(t, want, target.Window(model), model)
	}
}

// TestVersionsOfAnthropic: a server gets the oldest version, and a later one if it knows later ones.
func TestVersionsOfAnthropic(t *testing.T) {
	v := translator.API("anthropic").Version
	for _, c := range []struct {
		host, version string
		want          bool
	}{{"api.anthropic.com", v.Newest, true}, {"api.anthropic.com", "2099-01-01", true},
		{"elsewhere.example", v.Newest, false}, {"elsewhere.example", v.Oldest, true}} {
		require.Equal(t, c.want, v.Passes(c.host, c.version), c)
	}
	var restricted ir.Target
	v.Restrict(&restricted)
	require.Equal(t, ir.Target{NoSampling: true}, restricted)
}

// TestAmong has whole names and beginnings.
func TestAmong(t *testing.T) {
	list := []string{"accept", "x-stainless-*"}
	for name, want := range map[string]bool{"accept": true, "accept-encoding": false, "x-stainless-os": true,
		"x-stainless": false, "": false} {
		require.Equal(t, want, ir.Among(list, name), name)
	}
}

// TestJoinNames has no, one and several names.
func TestJoinNames(t *testing.T) {
	require.Equal(t, "anthropic, chat, responses, gemini or interactions",
		translator.JoinNames(func(api *ir.API) string { return api.Name }, "or"))
	require.Equal(t, "chat and gemini", translator.JoinNames(func(api *ir.API) string {
		if api.Name == "chat" || api.Name == "gemini" {
			return api.Name
		}
		return ""
	}, "and"))
}
