package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"edgelingua/wasmtest/conform"
	"edgelingua/wasmtest/deploy"
)

// runCheck runs the conformance suite.
func runCheck(o *checkOptions, signals <-chan os.Signal, stdin io.Reader, stdout, stderr io.Writer) error {
	options := conform.Options{Only: o.only, Skip: o.skip}
	switch {
	case o.list:
		conform.List(stdout, options)
		return nil
	case o.explain != "":
		_, err := io.WriteString(stdout, explainCase(conform.Lookup(o.explain)))
		return err
	}
	ctx, cancel := untilSignal(signals)
	defer cancel()
	ended := func() {}
	if attended(stderr) && !o.json {
		ended = func() { fmt.Fprint(stderr, "\r\x1b[K") }
		options.Progress = func(done, all int, what string) {
			fmt.Fprintf(stderr, "\r\x1b[K%d of %d: %s", done+1, all, what)
		}
	}
	check := o.checkServer
	if len(o.upstreams) > 0 {
		check = o.checkGateways
	}
	reports, err := check(ctx, options, stdin, stderr)
	ended()
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted")
	case err != nil:
		return err
	}
	if err := o.print(reports, stdout); err != nil {
		return err
	}
	if !reports.OK() {
		return errFailed
	}
	return nil
}

// checkServer checks a server with a model. The run begins when the person at the terminal agrees.
func (o *checkOptions) checkServer(ctx context.Context, options conform.Options, stdin io.Reader,
	stderr io.Writer) (conform.Reports, error) {
	if !o.yes && !attended(stdin) {
		return nil, errNobody
	}
	key, err := checkKey(ctx, o.url, stdin, stderr)
	if err != nil {
		return nil, err
	}
	target := conform.Target{URL: o.url, Key: key}
	if target.Model, err = modelOf(ctx, target, o.model); err != nil {
		return nil, err
	}
	served, err := findAPIs(ctx, target, options)
	if err != nil {
		return nil, err
	}
	if !o.yes && !mayAsk(ctx, stdin, stderr, conform.Requests(served, options), target.Model, o.url) {
		return nil, errNotAsked
	}
	return conform.Reports{conform.Check(ctx, target, served, options)}, nil
}

// findAPIs finds the APIs of a server. Each API that --only names must be served.
func findAPIs(ctx context.Context, target conform.Target, options conform.Options) ([]conform.Served, error) {
	served, err := conform.Find(ctx, target)
	return served, cmp.Or(err, conform.Demand(served, options.Only))
}

// print writes the reports in the chosen forms.
func (o *checkOptions) print(reports conform.Reports, stdout io.Writer) error {
	for _, output := range []struct {
		file  string
		write func(io.Writer) error
	}{{o.junit, reports.JUnit}, {o.badge, reports.Badge}} {
		if output.file == "" {
			continue
		}
		f, err := os.Create(output.file)
		if err == nil {
			err = errors.Join(output.write(f), f.Close())
		}
		if err != nil {
			return fmt.Errorf("can't write the results: %w", err)
		}
	}
	switch {
	case o.json:
		return reports.JSON(stdout)
	case o.markdown:
		reports.Markdown(stdout)
	default:
		style := reportStyle(stdout)
		reports.Write(stdout, conform.Look{Colour: style.Colour, UTF8: style.UTF8})
		writeLedger(stdout, reports)
	}
	return nil
}

// checkKey returns the key of a server, from the environment or typed at a terminal. "" means a
// server without keys.
func checkKey(ctx context.Context, url string, stdin io.Reader, stderr io.Writer) (string, error) {
	key, found := os.LookupEnv(keyVariable)
	if found || !attended(stdin) {
		return key, nil
	}
	terminal := &deploy.Terminal{In: stdin, Out: stderr}
	return terminal.AskHidden(ctx, "The key of "+url+" (Enter for none): ")
}
