package cli

import (
	"context"
	"io"
	"os"

	"edgelingua/wasmtest/deploy"
	"edgelingua/wasmtest/smoke"
)

// runCheck checks a server of any of the four APIs.
func runCheck(o *checkOptions, signals <-chan os.Signal, stdin io.Reader, stdout, stderr io.Writer) error {
	return runChecks(func(ctx context.Context, progress smoke.Progress) (*smoke.Report, error) {
		if !o.yes && !attended(stdin) {
			return nil, errNobody
		}
		key, err := checkKey(ctx, o.url, stdin, stderr)
		if err != nil {
			return nil, err
		}
		target := smoke.Target{URL: o.url, Key: key}
		model, err := modelOf(ctx, target, o.model)
		if err != nil {
			return nil, err
		}
		apis, err := smoke.Find(ctx, target, model)
		if err != nil {
			return nil, err
		}
		requests := 0
		for _, api := range apis {
			if api.Served {
				requests += smoke.PerAPI
			}
		}
		if !o.yes && !mayAsk(ctx, stdin, stderr, requests, model, o.url) {
			return nil, errNotAsked
		}
		return smoke.Check(ctx, target, model, apis, progress), nil
	}, o.json, signals, stdout, stderr)
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
