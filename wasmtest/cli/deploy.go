package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"edgelingua/wasmtest/deploy"
)

// deployOptions are the flags of the command deploy.
type deployOptions struct {
	deploy.Options
	prepare bool
}

// deploy returns the command deploy.
func (p *program) deploy() *cobra.Command {
	o := &deployOptions{}
	return newCommand(
		description{
			section: deploying,
			use:     "deploy [flags]",
			short:   "deploy it to Cloudflare, with wrangler",
			long: `edgelingua deploy [flags] deploys the worker to your Cloudflare account, and makes
sure that it works:

  it runs wrangler deploy, the wrangler of node_modules or PATH, with wrangler.toml (or .jsonc,
  .json), which it
  leaves as it is;
  generates the secrets that the worker lacks, asks for UPSTREAM_KEY, and never replaces one that is
  there;
  waits until the worker answers, and shows the keys that you must keep, once.

A second run brings new code, and keeps secrets and data.

Secrets may be in the environment, by their names: CLIENT_KEY, UPSTREAM_KEY, ADMIN_KEY, SEAL_KEY. If
stdin or stdout is no terminal, nothing is asked, and no key is generated except SEAL_KEY: a key
would end up in a log.`,
			example: `edgelingua deploy --dry-run
    what would be done, without an account
edgelingua deploy --temporary
    a public address for an hour, without an account
edgelingua deploy --personal
    with personal endpoints`,
			exit: exitCodes,
		},
		func(args []string) error {
			if len(args) > 0 {
				// the argument is not repeated: it may be a key
				return usageError{errors.New("deploy takes flags only; `edgelingua deploy -h` lists them")}
			}
			dropEnvironment() // wrangler does not use these settings
			return runDeploy(o, p.signals, p.stdin, p.stdout, p.stderr)
		},
		section{"What is deployed", func(f *flag.FlagSet) {
			f.StringVar(&o.Config, "config", "",
				"use `FILE`; by default the wrangler.json, wrangler.jsonc or wrangler.toml of the current "+
					"folder, the first that is there")
			f.StringVar(&o.Environment, "env", "", "use the environment `NAME` of that file")
			f.BoolVar(&o.Personal, "personal", false,
				"serve personal endpoints as well, and make the first one. A worker that has ADMIN_KEY or "+
					"SEAL_KEY keeps serving them without this flag")
		}},
		section{"How", func(f *flag.FlagSet) {
			f.StringVar(&o.Model, "model", "", "check the worker with the model `NAME`, which costs tokens")
			f.BoolVar(&o.Yes, "yes", false, "do not ask before tokens are spent")
			f.BoolVar(&o.DryRun, "dry-run", false,
				"show what would be done, and bundle the worker, without an account and without a network")
			f.BoolVar(&o.Temporary, "temporary", false,
				"deploy to a temporary account of Cloudflare's, without logging in: a public address for "+
					"about an hour, for yourself only. You are asked to accept Cloudflare's terms. wrangler "+
					"prints a claim URL, with which you can keep the account; it is a secret. Fails if "+
					"somebody is logged in")
			f.BoolVar(&o.prepare, "prepare", false,
				"write "+deploy.Generated+", or "+deploy.GeneratedJSON+" if the config is JSON, for other "+
					"commands of "+
					"wrangler, print its path, and do nothing else")
		}},
	)
}

// runDeploy runs deploy. It asks a person if stdin and stdout are a terminal.
func runDeploy(o *deployOptions, signals <-chan os.Signal, stdin io.Reader, stdout, stderr io.Writer) error {
	if o.prepare {
		path, err := deploy.Prepare(o.Config, o.Environment)
		if err == nil {
			fmt.Fprintln(stdout, path)
		}
		return err
	}
	ctx, cancel := untilSignal(signals)
	defer cancel()
	o.Env = os.Environ()
	o.Stdin, o.Stdout, o.Stderr = stdin, stdout, stderr
	o.Style = reportStyle(stdout)
	if attended(stdin) && attended(stdout) {
		o.Terminal = &deploy.Terminal{In: stdin, Out: stdout}
	}
	return deploy.Run(ctx, &o.Options)
}
