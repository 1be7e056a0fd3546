package ledger

import (
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/jsonw"
	"edgelingua/wasmtest/corpus"
)

// Server is an upstream with a model.
type Server struct{ Protocol, Host, Model string }

const (
	claudes = "api.anthropic.com"
	openAIs = "api.openai.com"
	googles = "generativelanguage.googleapis.com"
)

// Servers has the upstreams of each request: every protocol's own vendor with a reasoning model and
// with another model, and one server of the user's own.
var Servers = []Server{
	{"anthropic", claudes, "claude-opus-5-5"},
	{"anthropic", claudes, "claude-sonnet-4-5"},
	{"chat", openAIs, "gpt-5.5"},
	{"chat", openAIs, "gpt-4.1"},
	{"chat", "vllm.internal:8000", "Qwen/Qwen3.5-27B"},
	{"responses", openAIs, "gpt-5.5"},
	{"responses", openAIs, "gpt-4.1"},
	{"gemini", googles, "gemini-3.6-pro"},
	{"gemini", googles, "gemini-2.5-pro"},
	{"interactions", googles, "gemini-3.6-pro"},
}

// Translate translates a client's request for a server. lost has the paths of the lost fields, also
// if the request is refused.
func (s *Server) Translate(client string, body []byte) (out []byte, lost []string, err error) {
	pair, _ := translator.Lookup(client, s.Protocol)
	x, err := pair.Decode(corpus.Path(client, s.Model, false), body)
	if err != nil {
		return nil, nil, err
	}
	x.Request.Model, x.Request.Received = jsonw.Escape(s.Model), corpus.Received
	x.FindTools = true // as in the worker
	out, err = x.AppendRequest(nil, pair.Target(s.Host, s.Model))
	return out, paths(x.LostHeader()), err
}

// paths returns the paths in the header of a report of losses.
func paths(header string) (all []string) {
	for path := range strings.SplitSeq(header, ",") {
		if path = strings.TrimSpace(path); path != "" {
			all = append(all, path)
		}
	}
	return all
}
