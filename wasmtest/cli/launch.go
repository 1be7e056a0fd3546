package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"edgelingua/wasmtest/host/outbound"
	"edgelingua/wasmtest/wrangler"
	"edgelingua/worker/endpoint"
)

// exited is the error of a client with an exit code other than 0. edgelingua exits with the same
// code.
type exited struct{ code int }

func (e exited) Error() string { return fmt.Sprint("the client ended with exit code ", e.code) }

// launch serves on a free port of 127.0.0.1 while it runs a client of that server. Only the client
// gets the server's key. launch returns once the client has ended.
func launch(o *launchOptions, signals <-chan os.Signal, stdin io.Reader, stdout, stderr io.Writer) error {
	program, err := exec.LookPath(o.client.name)
	if err != nil { // includes a program in the current folder only (exec.ErrDot)
		return fmt.Errorf("%s is not installed, or its folder is not on PATH: %s", o.client.title,
			o.client.install)
	}
	if taken := o.client.taken; taken != "" && os.Getenv(taken) != "" {
		return usageError{fmt.Errorf("%s is set, and this command needs it itself: put those settings "+
			"into a file, and name that in OPENCODE_CONFIG", taken)}
	}
	if err := o.serve.ask(signals, stdin, stderr); err != nil {
		return err
	}
	hide()
	notes := &startNotes{out: stderr}
	records, err := o.openLog(notes)
	if err != nil {
		return err
	}
	defer records.Close()
	key := newKey()
	address, stop, ended := make(chan string, 1), make(chan os.Signal, 1), make(chan error, 1)
	o.serve.adjust = func(s *wrangler.Settings) error { return o.adjust(s, key) }
	o.serve.started = func(at string) { address <- at }
	go func() { ended <- serve(&o.serve, stop, records, records) }()
	var base string
	select {
	case err := <-ended:
		return err
	case s := <-signals:
		return exited{codeOf(s)} // the process ends, and the server with the process
	case base = <-address:
	}
	notes.end()
	cmd := o.command(program, base, key)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	err = runClient(cmd, signals)
	stop <- os.Interrupt
	if failure := <-ended; err == nil {
		err = failure
	}
	return err
}

// newKey returns a random key.
func newKey() string {
	bytes := make([]byte, 32)
	rand.Read(bytes)
	return base64.RawURLEncoding.EncodeToString(bytes)
}

// adjust completes the settings for one run of a client with its key. It returns the error for
// missing settings, or for an upstream that is not ready.
func (o *launchOptions) adjust(s *wrangler.Settings, key string) error {
	upstream := o.serve.upstream
	switch {
	case s.Vars["UPSTREAM_URL"] == "":
		return usageError{fmt.Errorf("no upstream is set up: choose one with --upstream (%s), or set "+
			"UPSTREAM_PROTOCOL and UPSTREAM_URL, by --var, as %s* or in a file that --config names",
			presetNames(), settingPrefix)}
	case s.Vars["AUTH"] == "forward":
		return usageError{errors.New("AUTH=forward sends the client's key to the upstream, and here the " +
			"client gets one that is good for this run alone: set UPSTREAM_KEY in its place")}
	case upstream != nil && !upstream.Keyless && s.Vars["UPSTREAM_KEY"] == "":
		return usageError{fmt.Errorf("%s needs your key there, and none is set for %s: --secret "+
			"UPSTREAM_KEY asks for it, and --secret UPSTREAM_KEY=@FILE reads it from a file",
			upstream.Title, upstream.URL)}
	case o.model == "" && o.client.asks == "":
		return usageError{fmt.Errorf("%s needs the name of a model: say it with --model", o.client.title)}
	}
	// includes models that the client requests itself, for titles and the like
	if o.model != "" && s.Vars["MODELS"] == "" {
		models, err := json.Marshal(map[string]string{"*": o.model})
		if err != nil {
			return err
		}
		s.Vars["MODELS"] = string(models)
	}
	delete(s.Vars, "ADMIN_KEY") // a run has no personal endpoints
	s.Vars["CLIENT_KEY"] = key
	e, wrong := endpoint.Load(func(name string) (string, bool) { v, ok := s.Vars[name]; return v, ok })
	if wrong != nil {
		return usageError{errors.New(wrong.Error())}
	}
	if err := o.checkModel(e, s.Vars); err != nil {
		return err
	}
	p := o.prober(e)
	note, err := p.probe(context.Background())
	o.use = use{model: o.model, limits: p.entry, native: p.upstream.API.Name == o.client.vendor}
	if note != "" {
		s.Notes = append(s.Notes, note)
	}
	return err
}

// prober returns the prober of the upstream for the client's first request.
func (o *launchOptions) prober(e *endpoint.Endpoint) *prober {
	p := &prober{upstream: &e.Upstreams[0], model: cmp.Or(o.model, o.client.asks)}
	if choices := e.Choose(p.model); len(choices) > 0 {
		p.upstream, p.model = choices[0].Upstream, choices[0].Model
	}
	p.preset = presetAt(p.upstream.URL)
	p.transport = outbound.ConnectTo(o.serve.connect)
	if o.serve.connect == "" {
		p.transport = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	return p
}

// checkModel returns an error if the client would request a model of its own vendor, MODELS does
// not map the model, and the upstream has another protocol than the vendor.
func (o *launchOptions) checkModel(e *endpoint.Endpoint, vars map[string]string) error {
	asks := o.client.asks
	if o.model != "" || vars["UPSTREAM_PROTOCOL"] == o.client.vendor {
		return nil
	}
	if choices := e.Choose(asks); len(choices) > 0 && choices[0].Model != asks {
		return nil
	}
	return usageError{fmt.Errorf("%s asks for models such as %s, which %s may not have: name one that it "+
		"has with --model, or map the client's names by MODELS",
		o.client.title, asks, vars["UPSTREAM_URL"])}
}

// replace replaces the upstream in vars, with all of its settings. A key stays only if it was set
// for the same host, or without a host: no other vendor gets it.
func (p *preset) replace(vars map[string]string) error {
	url := vars["UPSTREAM_URL"]
	if url != "" && !endpoint.SameOrigin(url, p.URL) || url == "" && p.Keyless {
		delete(vars, "UPSTREAM_KEY")
	}
	for _, name := range []string{"AUTH", "UPSTREAM_OPTIONS", "MODELS"} {
		delete(vars, name)
	}
	vars["UPSTREAM_PROTOCOL"], vars["UPSTREAM_URL"] = p.Protocol, p.URL
	models := map[string]string{}
	for name, to := range p.Models {
		if to != "" { // "" is an empty field of the page's form
			models[name] = to
		}
	}
	if len(models) == 0 {
		return nil
	}
	text, err := json.Marshal(models)
	vars["MODELS"] = string(text)
	return err
}

// openLog opens the file of --log for the output of serve. Without a file the output goes to notes.
func (o *launchOptions) openLog(notes io.Writer) (io.WriteCloser, error) {
	if o.log == "" {
		return closing{notes}, nil
	}
	file, err := os.OpenFile(o.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, usageError{fmt.Errorf("--log: the file %s can't be written (%w)", o.log, reason(err))}
	}
	return file, nil
}

// closing is a writer without anything to close.
type closing struct{ io.Writer }

func (closing) Close() error { return nil }

// startNotes passes on lines with the prefix "note: " until the client starts. From then on the
// terminal is the client's.
type startNotes struct {
	mu  sync.Mutex
	out io.Writer // nil once the client starts
}

func (n *startNotes) Write(line []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.out != nil && strings.HasPrefix(string(line), "note: ") {
		return n.out.Write(line)
	}
	return len(line), nil
}

func (n *startNotes) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.out = nil
}

// runClient runs a client until it ends, and passes SIGTERM on to the client. A terminal sends its
// signals to all foreground processes, so the client already has them, and edgelingua waits for the
// client's reaction.
func runClient(cmd *exec.Cmd, signals <-chan os.Signal) error {
	defer keepTerminalSignals()()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s can't be run (%w)", cmd.Path, err)
	}
	done := make(chan error, 1)
	go func() {
		code, err := waitFor(cmd.Process)
		if err == nil && code != 0 {
			err = exited{code}
		}
		done <- err
	}()
	for {
		select {
		case s := <-signals:
			if s == syscall.SIGTERM {
				terminate(cmd.Process)
			}
		case err := <-done:
			return err
		}
	}
}

// codeOf returns a shell's exit code for a process ended by a signal.
func codeOf(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return exitFailed
}
