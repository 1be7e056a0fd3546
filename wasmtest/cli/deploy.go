package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"edgelingua/wasmtest/deploy"
)

const deploySynopsis = `edgelingua deploy [flags] deploys the worker to your Cloudflare account, and sees to it that it works:

  it runs wrangler deploy, the wrangler of node_modules or PATH, with wrangler.toml, which it leaves as it is;
  generates the secrets that the worker lacks, asks for UPSTREAM_KEY, and never replaces one that is there;
  waits until the worker answers, and shows the keys that you must keep, once.

A second run brings new code, and keeps secrets and data.

Secrets may stand in the environment by their names: CLIENT_KEY, UPSTREAM_KEY, ADMIN_KEY, SEAL_KEY. Where stdin or stdout is no
terminal nothing is asked, and no key is generated but SEAL_KEY: a key would end up in a log.

` + exitCodes

// deployOptions are the flags of the command deploy.
type deployOptions struct {
	deploy.Options
	prepare bool
}

// parseDeploy parses the flags of deploy. Where they ask for the help text, it prints that and
// returns flag.ErrHelp.
func parseDeploy(args []string, stdout io.Writer) (*deployOptions, error) {
	o := &deployOptions{}
	flags := flag.NewFlagSet("deploy", flag.ContinueOnError)
	flags.StringVar(&o.Config, "config", "wrangler.toml", "go by `FILE`, a wrangler.toml")
	flags.StringVar(&o.Environment, "env", "", "go by the environment `NAME` of wrangler.toml")
	flags.BoolVar(&o.Personal, "personal", false,
		"serve personal endpoints as well, and make the first one. A worker that has ADMIN_KEY or "+
			"SEAL_KEY keeps serving them without this flag")
	flags.StringVar(&o.Model, "model", "", "check the worker with the model `NAME`, which costs tokens")
	flags.BoolVar(&o.Yes, "yes", false, "do not ask before tokens are spent")
	flags.BoolVar(&o.DryRun, "dry-run", false,
		"show what would be done, and bundle the worker, without an account and without a network")
	flags.BoolVar(&o.prepare, "prepare", false,
		"write "+deploy.Generated+" for other commands of wrangler, print its path, and do nothing else")
	if err := parse(flags, args, deploySynopsis, stdout); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		// the argument is not repeated, since it may be a key
		return nil, usageError{errors.New("deploy takes flags only; `edgelingua deploy -h` lists them")}
	}
	return o, nil
}

// runDeploy runs deploy. A person is asked where stdin and stdout are a terminal.
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
