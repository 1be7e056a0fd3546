package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"edgelingua/wasmtest/built"
	"edgelingua/wasmtest/metrics"
	"edgelingua/wasmtest/wrangler"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	addr          string
	wasm          string
	demo          bool
	check         bool // says what the settings come to, and serves nothing
	trace         bool
	metricsAddr   string        // where the metrics are shown without a key; "": nowhere
	grace         time.Duration // for requests that are open at a signal
	maxConcurrent int
	config        string
	environment   string
	devVars       string
	data          string
	connect       string
	record        string // the folder for recordings; "": nothing is recorded
	// the personal endpoint whose exchanges are recorded; "": those of the deployment's own
	recorded string
	vars     map[string]string // what --var and --secret set
	asked    []string          // the names of --secret NAME: ask puts what is typed into vars
	notes    []string          // on the files of --secret NAME=@FILE

	// These are launch's.
	namedOnly bool                           // no file is read but those that a flag names
	upstream  *preset                        // in place of the one that is set; nil for that one
	adjust    func(*wrangler.Settings) error // completes the settings
	started   func(address string)           // is called once the server listens
}

const serveSynopsis = `edgelingua serve [flags] serves the module over HTTP, with the settings of wrangler.toml and .dev.vars.

Each request is a line on stdout: for people at a terminal (NO_COLOR is respected), else a JSON object. GET /healthz needs no key.
` + exitCodes

// parseServe parses the flags of serve. Where they ask for the help text, it prints that and
// returns flag.ErrHelp.
func parseServe(args []string, stdout io.Writer) (*serveOptions, error) {
	o := &serveOptions{vars: map[string]string{}}
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8787", "`HOST:PORT` to listen on; port 0 picks a free one")
	flags.StringVar(&o.wasm, "wasm", built.Module, "`PATH` of another module; by default the one beside this program, or build/app.wasm")
	flags.BoolVar(&o.demo, "demo", false,
		"start a scripted upstream in this process and use it; the client key is \"demo\". Of the files "+
			"only those are read that a flag names, and "+
			"not for UPSTREAM_URL and UPSTREAM_KEY. "+
			"The model demo-parallel calls all tools at once; demo-error-429 (or another status), "+
			"demo-error-html, demo-error-stream and demo-error-cut fail")
	flags.BoolVar(&o.check, "check", false,
		"only say what the settings come to, and which are wrong: exit code 0 or 2")
	flags.BoolVar(&o.trace, "trace", false,
		"log each call between the program and the host; strings and bytes are shown by their length")
	flags.StringVar(&o.config, "config", "",
		"read vars from `FILE`, a wrangler.toml; by default from the one in the current folder, if "+
			"there is one")
	flags.StringVar(&o.environment, "env", "",
		"go by the environment `NAME` of wrangler.toml and by .dev.vars.NAME")
	flags.StringVar(&o.devVars, "dev-vars", "",
		"read vars and secrets from `FILE`, in the form of .dev.vars; by default from .dev.vars beside "+
			"wrangler.toml or, "+
			"where there is none, from .env")
	flags.StringVar(&o.data, "data", "",
		"keep what the program stores in `DIR`, which is made if there is none; by default it is "+
			"kept in memory")
	flags.StringVar(&o.metricsAddr, "metrics-addr", "",
		"show the metrics without a key at http://`HOST:PORT`/metrics, HOST being localhost or a "+
			"loopback address; "+
			"the server itself shows them at /metrics with ADMIN_KEY")
	flags.DurationVar(&o.grace, "grace", 30*time.Second,
		"how long open requests may go on after a signal; new ones are refused meanwhile")
	flags.IntVar(&o.maxConcurrent, "max-concurrent", defaultConcurrent(),
		"refuse requests of an endpoint while it has `N` open; all endpoints together have a quarter more; "+
			"by default as many as there is memory for, at most 1024")
	flags.StringVar(&o.connect, "connect", "",
		"connect to `HOST:PORT` in place of every upstream: a test can be a known server so")
	flags.StringVar(&o.record, "record", "",
		"write each exchange, in the clear but for keys, to a file in `DIR`, which is made if there is "+
			"none; replay reads the files")
	flags.StringVar(&o.recorded, "record-endpoint", "",
		"with --record: write the exchanges of the personal endpoint `NAME`, and no others")
	var list, secrets assignments
	flags.Func("var", "set a var of the program, as `NAME=VALUE`, over all files; may be repeated", list.add)
	flags.Func("secret",
		"set a secret of the program, over all files: `NAME` is asked for at the terminal, without an "+
			"echo; NAME=@FILE is read from a file; "+
			"NAME=VALUE is for scripts that nobody looks over: others on this machine can see it. "+
			"May be repeated", secrets.add)
	err := parse(flags, args, serveSynopsis, stdout)
	switch {
	case err != nil:
		return nil, err
	case o.maxConcurrent < 1:
		return nil, usageError{errors.New("--max-concurrent takes a number from 1 on")}
	case o.grace < 0:
		return nil, usageError{errors.New("--grace takes a time such as 30s, not a negative one")}
	case o.metricsAddr != "" && !metrics.Loopback(o.metricsAddr):
		return nil, usageError{errors.New("--metrics-addr takes localhost or a loopback address, such as " +
			"127.0.0.1:9464: nobody is asked for a key there; " +
			"for other machines, the server shows its metrics at /metrics with ADMIN_KEY")}
	case o.recorded != "" && o.record == "":
		return nil, usageError{errors.New("--record-endpoint needs --record DIR")}
	case flags.NArg() > 0:
		// without the argument, which may be a key
		return nil, usageError{errors.New("serve takes flags alone, each with its value behind = or a " +
			"space; `edgelingua serve -h` lists them")}
	}
	if err := list.set(o.vars); err != nil {
		return nil, err
	}
	return o, o.setSecrets(secrets)
}

// parse parses flags. Where they ask for the help text, it prints that, beginning with synopsis,
// and returns flag.ErrHelp.
func parse(flags *flag.FlagSet, args []string, synopsis string, stdout io.Writer) error {
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	err := flags.Parse(args)
	if err == flag.ErrHelp {
		fmt.Fprintln(stdout, synopsis)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return err
	}
	if err != nil {
		return usageError{fmt.Errorf("%w; `edgelingua %s -h` lists the flags", err, flags.Name())}
	}
	return nil
}

// assignments are the values of --var and --secret, each NAME=VALUE.
type assignments []string

func (a *assignments) add(assignment string) error {
	*a = append(*a, assignment)
	return nil
}

// validName reports whether s can be the name of a var.
func validName(s string) bool {
	for i, c := range s {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// errAssignment does not repeat the assignment, which may hold a key.
var errAssignment = usageError{errors.New("a --var or --secret is not of the form NAME=VALUE; a name has " +
	"letters, digits and _")}

// set puts the assignments into vars.
func (a assignments) set(vars map[string]string) error {
	for _, assignment := range a {
		name, v, found := strings.Cut(assignment, "=")
		if !found || !validName(name) {
			return errAssignment
		}
		vars[name] = v
	}
	return nil
}
