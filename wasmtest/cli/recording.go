package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/corpus"
)

// recording returns the recording for replay, in the form of a scenario of the corpus.
func (o *replayOptions) recording(stdin io.Reader) (*corpus.Scenario, error) {
	s := &corpus.Scenario{Client: o.client, Upstream: o.upstream}
	var err error
	switch {
	case o.isScenario():
		s, err = o.scenario()
	case o.file != "":
		s.Answer, err = o.answer(stdin)
	}
	switch {
	case err != nil:
		return nil, err
	case o.request != "":
		s.Request, err = read(o.request, stdin)
	case s.Request == nil:
		s.Request = smallest(s.Client, s.Answer.SSE)
	}
	if s.Path == "" {
		s.Path = corpus.Path(s.Client, "m", s.Answer != nil && s.Answer.SSE)
	}
	return s, err
}

// scenario reads a scenario of the corpus. With --client, the request becomes one of that protocol.
func (o *replayOptions) scenario() (*corpus.Scenario, error) {
	text, err := read(o.file, nil)
	if err != nil {
		return nil, err
	}
	s, err := corpus.Parse(o.file, text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a scenario (%w); the files of translator/testdata are", o.file, err)
	}
	switch {
	case s.Answer == nil && o.events:
		return nil, usageError{fmt.Errorf("%s holds no answer; --events needs one", o.file)}
	case s.Answer == nil && o.upstream == "":
		return nil, usageError{fmt.Errorf("%s holds no answer; name with --upstream PROTOCOL whom to ask",
			o.file)}
	case s.Answer != nil && cmp.Or(o.upstream, s.Upstream) != s.Upstream:
		return nil, usageError{fmt.Errorf("%s holds an answer of %s; leave --upstream out", o.file,
			s.Upstream)}
	}
	s.Upstream = cmp.Or(s.Upstream, o.upstream)
	if client := cmp.Or(o.client, s.Client); client != s.Client {
		path, request, ok := s.RequestOf(client, s.Answer != nil && s.Answer.SSE)
		if !ok {
			return nil, fmt.Errorf("%s holds a request that %s can't say; leave --client out", o.file, client)
		}
		s.Client, s.Path, s.Request = client, path, request
	}
	return s, nil
}

// answer reads the body of an upstream's answer: JSON, an event stream, or one event's data a line.
func (o *replayOptions) answer(stdin io.Reader) (*corpus.Answer, error) {
	body, err := read(o.file, stdin)
	if err != nil {
		return nil, err
	}
	first, _, more := bytes.Cut(bytes.TrimSpace(body), []byte("\n"))
	switch {
	case json.Valid(body):
		return &corpus.Answer{Status: 200, Body: body}, nil
	case more && bytes.HasPrefix(first, []byte(`{"`)):
		// a line may be invalid JSON: the recording may be of just this fault
		return &corpus.Answer{Status: 200, SSE: true, Body: corpus.Frame(o.upstream, body)}, nil
	case isField(first):
		return &corpus.Answer{Status: 200, SSE: true, Body: body}, nil
	}
	return nil, fmt.Errorf("%s is neither a stream nor JSON; replay takes the body of an answer, "+
		"without its head", o.file)
}

// isField reports whether a line belongs to an event stream.
func isField(line []byte) bool {
	name, _, found := bytes.Cut(bytes.TrimPrefix(line, []byte("\ufeff")), []byte(":"))
	switch string(name) {
	case "", "data", "event", "id", "retry":
		return found
	}
	return false
}

// smallest returns the smallest request of a protocol, as its upstream would get it.
func smallest(client string, stream bool) []byte {
	api := translator.API(client)
	request, _ := api.Upstream.AppendRequest(nil, &ir.Request{
		API: api, Model: "m", MaxTokens: 1000, Stream: stream, StreamUsage: true,
		Messages: []ir.Message{{Role: ir.User, Content: []ir.Content{{Kind: ir.TextContent, Text: "x"}}}},
	}, &ir.Target{}, &ir.Lost{})
	return request
}

// read reads a file, or the standard input for "-".
func read(file string, stdin io.Reader) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(stdin)
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s; replay takes a file, or - for the standard input", file)
	}
	return text, err
}
