// Command clientd runs a session of a client double (package clients) for tests in other languages.
// It reads the session as JSON from standard input and writes the outcome as JSON to standard
// output.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"sync"

	"edgelingua/wasmtest/clients"
)

// session is the input: a client, its server and its questions.
type session struct {
	Client  string         // "claude code" or "codex"
	Version string         // one of clients.Versions or clients.CodexModels
	URLs    []string       // a target for each request; the last URL gets all further requests
	Key     string         // the client's key
	Say     []string       // the questions
	Steer   []string       // Claude Code: the system text after each set of tool results
	More    map[string]any // Codex: additional members of each request
	// tool outputs by tool name, command, file or URL; other tools return "NAME ran"
	Results map[string]any
}

// outcome is the output: answers, tool calls and the error of the session.
type outcome struct {
	Said  []string `json:"said"`            // the answer to each question
	Calls []string `json:"calls"`           // names of the tools run
	Error string   `json:"error,omitempty"` // why the session ended early
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out io.Writer) error {
	var s session
	d := json.NewDecoder(in)
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return err
	}
	if len(s.URLs) == 0 {
		return errors.New("a session needs a URL")
	}
	o := &outcome{Said: []string{}, Calls: []string{}}
	say, err := s.start(o)
	if err != nil {
		return err
	}
	for _, question := range s.Say {
		text, err := say(question)
		if err != nil {
			o.Error = err.Error()
			break
		}
		o.Said = append(o.Said, text)
	}
	return json.NewEncoder(out).Encode(o)
}

// start creates the client and returns a function to ask a question. Tool calls are recorded in o.
func (s *session) start(o *outcome) (say func(question string) (string, error), err error) {
	at := clients.Server{URL: s.URLs[0], Key: s.Key, Transport: &route{urls: s.URLs}}
	var mu sync.Mutex // Claude Code runs tools concurrently
	ran := func(name string, keys ...any) any {
		mu.Lock()
		defer mu.Unlock()
		o.Calls = append(o.Calls, name)
		for _, key := range append(keys, name) {
			if text, ok := key.(string); ok && s.Results[text] != nil {
				return s.Results[text]
			}
		}
		return name + " ran"
	}
	switch s.Client {
	case "claude code":
		c, err := clients.NewClaudeCode(at, s.Version, func(name string, input map[string]any) any {
			if name == "ToolSearch" {
				ran(name)
				return []string{fmt.Sprint(input["query"])}
			}
			return ran(name, input["command"], input["file_path"], input["url"])
		})
		if err != nil {
			return nil, err
		}
		c.Steer = s.Steer
		return func(question string) (string, error) { return c.Say(question) }, nil
	case "codex":
		c, err := clients.NewCodex(at, s.Version, func(call clients.Call) any {
			if call.Kind == "search" {
				ran("tool_search")
				return clients.Found
			}
			return ran(call.Name)
		})
		if err != nil {
			return nil, err
		}
		return func(question string) (string, error) { return c.SayWith(s.More, question) }, nil
	}
	return nil, fmt.Errorf("no such client: %q", s.Client)
}

// route is an http.RoundTripper that sends each request to the next URL.
type route struct {
	urls []string
	mu   sync.Mutex
	sent int
}

// RoundTrip implements http.RoundTripper.
func (r *route) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	next := r.urls[min(r.sent, len(r.urls)-1)]
	r.sent++
	r.mu.Unlock()
	base, err := url.Parse(next)
	if err != nil {
		return nil, err
	}
	sent := request.Clone(request.Context())
	sent.URL.Scheme, sent.URL.Host, sent.Host = base.Scheme, base.Host, base.Host
	return http.DefaultTransport.RoundTrip(sent)
}
