package corpus

import (
	"fmt"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// Case is a client's request to a worker, the upstream's answer, and the expected behaviour of
// the worker.
type Case struct {
	Scenario string            `json:"scenario"`
	Settings map[string]string `json:"settings"` // the worker's variables, without its keys
	Client   string            `json:"client"`   // the client's protocol
	Upstream string            `json:"upstream"` // the upstream's protocol
	Streamed bool              `json:"streamed"` // the client asks for a stream
	Path     string            `json:"path"`     // of the client's request
	Request  []byte            `json:"request"`  // the client's body
	Answer   *Answer           `json:"answer"`   // the upstream's answer
	Want     Want              `json:"want"`
	Rounds   bool              `json:"rounds"` // an answer may take rounds: deferred tools are searched
}

// String names the case in the messages of a test.
func (x *Case) String() string {
	mode := "plain"
	if x.Streamed {
		mode = "streamed"
	}
	return fmt.Sprintf("%s: %s to %s, %s", x.Scenario, x.Client, x.Upstream, mode)
}

// Path returns the path of a client's request to a model. A path with parameters is the same for
// the protocol's clients and upstreams. The model is not escaped in it, since servers get paths
// without escapes.
func Path(client, model string, streamed bool) string {
	api := translator.API(client)
	if path := api.ConversePath(); !strings.Contains(path, "{") {
		return path
	}
	return api.Upstream.Path(model, streamed)
}

// Cases returns the cases of a scenario. If the scenario has no answer, its request goes to
// each upstream. Otherwise each client sends the request to the scenario's upstream, streamed and
// plain.
func (s *Scenario) Cases() (list []*Case, err error) {
	if s.Answer == nil {
		for _, upstream := range Protocols {
			list = append(list, s.newCase(s.Client, upstream, s.Path, s.Request, anyAnswer(upstream)))
		}
	} else {
		list = s.casesOfClients()
	}
	for _, x := range list {
		if x.Want, err = x.native(); err != nil {
			return nil, fmt.Errorf("%v: %w", x, err)
		}
	}
	return list, nil
}

func (s *Scenario) newCase(client, upstream, path string, request []byte, answer *Answer) *Case {
	return &Case{
		Scenario: s.Name, Settings: s.Settings(upstream), Client: client, Upstream: upstream,
		Path: path, Request: request, Answer: answer, Streamed: streams(client, path, request),
	}
}

// casesOfClients returns a case with the scenario's own request, then one per client for the same
// request, streamed and plain.
func (s *Scenario) casesOfClients() []*Case {
	own := s.newCase(s.Client, s.Upstream, s.Path, s.Request, s.Answer)
	list := []*Case{own}
	for _, client := range Protocols {
		for _, streamed := range []bool{true, false} {
			if client == s.Client && streamed == own.Streamed {
				continue
			}
			if path, request, ok := s.RequestOf(client, streamed); ok {
				list = append(list, s.newCase(client, s.Upstream, path, request, s.Answer))
			}
		}
	}
	return list
}

// RequestOf returns the path and the body of the scenario's request as a client of another protocol
// sends it: translated for an upstream that accepts everything. ok is false if the request can't be
// read or translated.
func (s *Scenario) RequestOf(client string, streamed bool) (path string, request []byte, ok bool) {
	pair, _ := translator.Lookup(s.Client, client)
	x, refused := pair.Decode(s.Path, s.Request)
	if refused != nil {
		return "", nil, false
	}
	x.Request.Stream = streamed
	request, refused = x.AppendRequest(nil, &ir.Target{
		Efforts:  []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"},
		Thinking: ir.AdaptiveThinking, ReasoningEcho: ir.EchoDetails, ResultImages: ir.NativeImages,
		Files: true, SystemTurns: true, ParallelFlag: true, WebSearch: true,
		ToolSearch: true, Strict: true, OpenAI: true,
	})
	return Path(client, jsonw.Unescape(x.Request.Model), streamed), request, refused == nil
}

// streams reports whether a client's request asks for a stream.
func streams(client, path string, request []byte) bool {
	pair, _ := translator.Lookup(client, client)
	x, refused := pair.Decode(path, request)
	return refused == nil && x.Request.Stream
}

// anyAnswer returns a valid answer of an upstream, for scenarios that are about the request.
func anyAnswer(upstream string) *Answer {
	return &Answer{Status: 200, Body: []byte(map[string]string{
		"anthropic": `{"id":"msg_1","type":"message","role":"assistant","model":"m",` +
			`"content":[{"type":"text","text":"Yes."}],` +
			`"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}`,
		"chat": `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m",` +
			`"choices":[{"index":0,` +
			`"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}`,
		"responses": `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m",` +
			`"output":[{"id":"msg_1",` +
			`"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text",` +
			`"text":"Yes.","annotations":[]}]}]}`,
		"gemini": `{"candidates":[{"content":{"parts":[{"text":"Yes."}],"role":"model"},` +
			`"finishReason":"STOP","index":0}],"modelVersion":"m","responseId":"r1"}`,
		"interactions": `{"object":"interaction","model":"m","status":"completed",` +
			`"steps":[{"type":"model_output","content":[{"type":"text","text":"Yes."}]}]}`,
	}[upstream])}
}
