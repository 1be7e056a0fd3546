package ledger

import (
	"strings"
	"testing"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/wasmtest/corpus"
	"edgelingua/wasmtest/corpus/golden"
)

// TestStreams sends each answer of the ledger as a stream too, and lets each client stream. A member
// must have the same state as in plain answers.
func TestStreams(t *testing.T) {
	t.Parallel()
	read, bodies := readSchemas(t), readBodies(t)
	found := map[string]bool{}
	for _, upstream := range protocols {
		s := &sampler{&read, bodies.sides[upstream+".answer"]}
		to := &Server{Protocol: upstream, Host: "upstream.example", Model: "m"}
		plainly, others := once(answer), map[string]answering{"streamed": once(folded),
			"for a stream": once(streamed)}
		for _, m := range s.members(s.Roots[upstream+".answer"], s.Whole, s.Also) {
			for _, one := range s.trials(&m) {
				for _, client := range protocols {
					ask := bodies.asks[client]
					plain := judgeAnswer(client, ask, m.path, one.object, one.with, one.without, to, plainly)
					for name, how := range others {
						got := judgeAnswer(client, ask, m.path, one.object, one.with, one.without, to, how)
						if got.state == plain.state && got.fault == "" {
							continue
						}
						if pattern := inStreams(upstream, name, m.path); pattern != "" {
							found[pattern] = true
							continue
						}
						t.Errorf("%s %s=%s for %s, %s: %q, but plain %q %s", upstream, m.path,
							one.label, client, name, got.state, plain.state, got.fault)
					}
				}
			}
		}
	}
	for _, e := range otherInStreams {
		for pattern := range strings.FieldsSeq(e.paths) {
			if !found[e.upstream+pattern] {
				t.Errorf("no member needs %q of %s, %s", pattern, e.upstream, e.how)
			}
		}
	}
}

// otherInStreams has the members with another state in streams, and why.
var otherInStreams = []struct{ upstream, how, why, paths string }{
	{"responses", "streamed", "a stream says by the type of its last event how it ends", "status"},
	{"interactions", "for a stream", "an error within a stream has no status, which is all that the code says",
		"steps[model_output].error.code"},
	{"gemini", "streamed", "an unspecified reason ends a plain answer only", "candidates[].finishReason"},
}

// inStreams returns the pattern of otherInStreams with a member, or "".
func inStreams(upstream, how, path string) string {
	for _, e := range otherInStreams {
		if e.upstream != upstream || e.how != how {
			continue
		}
		for pattern := range strings.FieldsSeq(e.paths) {
			if matches(pattern, path) {
				return upstream + pattern
			}
		}
	}
	return ""
}

// answering translates an upstream's plain answer, or the same answer as a stream.
type answering func(client, ask, body string, s *Server) answered

// exchange returns the exchange of a request, and the number of its reported losses.
func exchange(client, ask string, s *Server) (*translator.Exchange, int) {
	pair, _ := translator.Lookup(client, s.Protocol)
	x, err := pair.Decode(corpus.Path(client, s.Model, false), []byte(ask))
	if err == nil {
		x.Request.Model, x.Request.Received = jsonw.Escape(s.Model), corpus.Received
		_, err = x.AppendRequest(nil, pair.Target(s.Host, s.Model))
	}
	if err != nil {
		panic(client + ": " + err.Error())
	}
	return x, len(paths(x.LostHeader()))
}

// folded translates the stream of an answer into a client's plain body.
func folded(client, ask, body string, s *Server) (o answered) {
	x, before := exchange(client, ask, s)
	got, err := x.AppendFolded(nil, []byte(eventsOf(s.Protocol, decode(body).(object))))
	if err != nil {
		o.failed = ir.AsError(err)
	}
	o.body, o.lost = string(got), reported(paths(x.LostHeader())[before:])
	return o
}

// streamed translates a plain answer into a client's stream, and joins the stream's events.
func streamed(client, ask, body string, s *Server) (o answered) {
	if client == "chat" { // usage comes only if asked for
		ask = strings.Replace(ask, "{", `{"stream":true,"stream_options":{"include_usage":true},`, 1)
	}
	x, before := exchange(client, ask, s)
	x.Request.Stream = true
	_, out := x.StreamOfBody([]byte(body))
	for _, sign := range []string{`data: {"type":"error"`, `data: {"error":`, `"type":"response.failed"`} {
		// an Interaction that a filter stopped has an error and an end, as its plain form has errors
		if strings.Contains(string(out), sign) && !strings.Contains(string(out), "event: interaction.completed") {
			o.failed = &ir.Error{Message: string(out)}
		}
	}
	if o.failed == nil {
		got, err := golden.Plain(client, out)
		if err != nil {
			o.failed = ir.AsError(err)
		}
		o.body = string(got)
	}
	o.lost = reported(paths(x.LostHeader())[before:])
	return o
}
