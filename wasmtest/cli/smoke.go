package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"

	"edgelingua/wasmtest/built"
	"edgelingua/wasmtest/conform"
	"edgelingua/wasmtest/demo"
	"edgelingua/wasmtest/host"
	"edgelingua/wasmtest/smoke"
)

// errFailed ends a run whose report has the failures.
var errFailed = errors.New("not all is well")

// runSmoke checks the module or, with --url, a deployed worker.
func runSmoke(o *smokeOptions, signals <-chan os.Signal, stdin io.Reader, stdout, stderr io.Writer) error {
	check := o.embedded
	if o.url != "" {
		check = o.live(stdin, stderr)
	} else if attended(stderr) && !o.json {
		// takes seconds if the cache lacks the compiled module
		fmt.Fprint(stderr, "compiling "+built.Name(o.wasm))
	}
	return runChecks(check, o.json, signals, stdout, stderr)
}

// runChecks runs checks, with their progress on stderr, and prints the report.
func runChecks(check func(context.Context, smoke.Progress) (*smoke.Report, error), asJSON bool,
	signals <-chan os.Signal, stdout, stderr io.Writer) error {
	ctx, cancel := untilSignal(signals)
	defer cancel()
	var progress smoke.Progress
	if attended(stderr) && !asJSON {
		progress = func(done, all int, check string) {
			fmt.Fprintf(stderr, "\r\x1b[K%d of %d: %s", done+1,
				all, check)
		}
	}
	report, err := check(ctx, progress)
	if progress != nil {
		fmt.Fprint(stderr, "\r\x1b[K")
	}
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted")
	case err != nil:
		return err
	}
	if err := printReport(report, asJSON, stdout); err != nil {
		return err
	}
	if !report.OK {
		return errFailed
	}
	return nil
}

func printReport(report *smoke.Report, asJSON bool, stdout io.Writer) error {
	if asJSON {
		e := json.NewEncoder(stdout)
		e.SetEscapeHTML(false)
		return e.Encode(report)
	}
	report.Write(stdout, reportStyle(stdout))
	return nil
}

// embedded checks the module, with the demo as an upstream of each protocol.
func (o *smokeOptions) embedded(ctx context.Context, progress smoke.Progress) (*smoke.Report, error) {
	upstream, stop, err := listen(demo.New(smokeUpstreamKey))
	if err != nil {
		return nil, err
	}
	defer stop()
	var targets []smoke.Target
	for _, protocol := range smoke.Protocols() {
		vars := map[string]string{
			"UPSTREAM_PROTOCOL": protocol, "UPSTREAM_URL": upstream + "/v1",
			"UPSTREAM_KEY": smokeUpstreamKey, "CLIENT_KEY": smokeClientKey,
		}
		module, err := load(o.wasm, host.Config{Env: vars})
		if err != nil {
			return nil, err
		}
		defer module.Close(context.Background())
		address, stop, err := listen(module)
		if err != nil {
			return nil, err
		}
		defer stop()
		targets = append(targets, smoke.Target{URL: address, Key: smokeClientKey, Upstream: protocol,
			Secrets: []string{smokeUpstreamKey}})
	}
	return smoke.Embedded(ctx, targets, progress), nil
}

// The keys of the checked module. They do not occur in an answer by chance.
const (
	smokeClientKey   = "smoke-client-key-5b1f"
	smokeUpstreamKey = "smoke-upstream-key-c27e"
)

// listen serves a handler on a free port of this machine. stop waits until its requests are over.
func listen(handler http.Handler) (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("can't listen on this machine: %w", err)
	}
	server := &http.Server{Handler: handler}
	go server.Serve(listener)
	return "http://" + listener.Addr().String(), func() { server.Shutdown(context.Background()) }, nil
}

// live returns the check of a deployed worker. The check begins when the person at the terminal
// agrees.
func (o *smokeOptions) live(stdin io.Reader, stderr io.Writer) func(context.Context,
	smoke.Progress) (*smoke.Report, error) {
	return func(ctx context.Context, progress smoke.Progress) (*smoke.Report, error) {
		if !o.yes && !attended(stdin) {
			return nil, errNobody
		}
		target := smoke.Target{URL: o.url, Key: o.key}
		if err := smoke.Reach(ctx, target); err != nil {
			return nil, err
		}
		model, err := modelOf(ctx, conform.Target{URL: target.URL, Key: target.Key}, o.model)
		if err != nil {
			return nil, err
		}
		if !o.yes && !mayAsk(ctx, stdin, stderr, smoke.LiveRequests, model, o.url) {
			return nil, errNotAsked
		}
		return smoke.Live(ctx, target, model, progress), nil
	}
}

// errNobody is the error if tokens would be spent without a person to ask.
var errNobody = usageError{errors.New("there is nobody to ask whether tokens may be spent; say " +
	"so with --yes")}

var errNotAsked = errors.New("nothing was asked of the model")

// modelOf returns the model for requests: the value of --model, or the target's only model.
func modelOf(ctx context.Context, target conform.Target, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	return conform.OnlyModel(ctx, target)
}

// mayAsk asks whether so many requests may be made.
func mayAsk(ctx context.Context, stdin io.Reader, stderr io.Writer, requests int, model, url string) bool {
	return confirm(ctx, stdin, stderr,
		fmt.Sprintf("This makes %d requests of at most %d output tokens each to %s of %s. Go on? [y/N] ",
			requests, conform.MaxTokens, conform.Plain(model), url))
}

// confirm asks a question and reports whether the answer is yes. An empty answer is a no.
func confirm(ctx context.Context, stdin io.Reader, stderr io.Writer, question string) bool {
	fmt.Fprint(stderr, question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdin).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case said := <-answer:
		return said == "y" || said == "yes"
	case <-ctx.Done():
		fmt.Fprintln(stderr)
		return false
	}
}
