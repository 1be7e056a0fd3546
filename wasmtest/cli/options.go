package cli

import (
	"errors"
	"flag"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"edgelingua/wasmtest/built"
	"edgelingua/wasmtest/guard"
	"edgelingua/wasmtest/wrangler"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	addr          string
	engine        engine
	wasm          string
	demo          bool
	check         bool // print the result of the settings, and do not serve
	trace         bool
	metricsAddr   string        // the address for metrics without a key; "" for none
	grace         time.Duration // for requests open at a signal
	maxConcurrent int
	config        string
	environment   string
	devVars       string
	data          string
	connect       string
	record        string // the folder for recordings; "": nothing is recorded
	// record the exchanges of this personal endpoint; "": of the deployment's own endpoint
	recorded string
	vars     map[string]string // from --var and --secret
	asked    []string          // the names of --secret NAME: ask puts the typed values into vars
	notes    []string          // on the files of --secret NAME=@FILE

	// For launch:
	namedOnly bool                           // only files named by a flag are read
	upstream  *preset                        // replaces the upstream of the settings; nil: no replacement
	adjust    func(*wrangler.Settings) error // completes the settings
	started   func(address string)           // is called once the server listens
}

// serve returns the command serve.
func (p *program) serve() *cobra.Command {
	o := &serveOptions{}
	return serveCommand(o, func() error {
		if err := o.ask(p.signals, p.stdin, p.stderr); err != nil {
			return err
		}
		return serve(o, p.signals, p.stdout, p.stderr)
	})
}

// serveCommand returns the command that sets o by its flags and then calls run.
func serveCommand(o *serveOptions, run func() error) *cobra.Command {
	o.vars = map[string]string{}
	var list, secrets assignments
	return newCommand(description{section: running, use: "serve [flags]", short: "serve it over HTTP",
		long: `edgelingua serve [flags] serves the module over HTTP, with the settings of
wrangler.toml (or .jsonc, .json) and .dev.vars.

Each request is a line on stdout: for people at a terminal (NO_COLOR is respected), else a JSON
object. GET /healthz needs no key.

HTTPS_PROXY, HTTP_PROXY and NO_PROXY are used for the upstream of UPSTREAM_URL. Upstreams of
personal endpoints are always connected to directly: the check of their addresses could not see
behind a proxy.`,
		example: `edgelingua serve --demo
    without a key and without a network
edgelingua serve --secret ADMIN_KEY --secret SEAL_KEY --data data
    for a team: everything else is in the browser, at /admin
edgelingua serve --var UPSTREAM_PROTOCOL=chat --var UPSTREAM_URL=http://127.0.0.1:11434/v1 --secret CLIENT_KEY
    for yourself, with Ollama
edgelingua serve --check
    what the settings of this folder come to`,
		exit: exitCodes},
		func(args []string) error {
			if err := o.complete(args, list, secrets); err != nil {
				return err
			}
			return run()
		},
		section{"To try it", func(f *flag.FlagSet) {
			f.BoolVar(&o.demo, "demo", false,
				"start a scripted upstream in this process and use it; the client key is \"demo\". Only "+
					"files that a flag names are read, and UPSTREAM_URL and UPSTREAM_KEY in them are "+
					"ignored. The model demo-parallel calls all tools at once; demo-error-429 (or another "+
					"status), demo-error-html, demo-error-stream and demo-error-cut fail")
			f.BoolVar(&o.check, "check", false,
				"only print the settings, or what is wrong with them: exit code 0 or 2")
		}},
		section{"Settings", func(f *flag.FlagSet) {
			f.Func("var", "set a var, as `NAME=VALUE`; it wins over all files; may be repeated", list.add)
			f.Func("secret",
				"set a secret; it wins over all files. `NAME` is asked for at the terminal, without an "+
					"echo; NAME=@FILE is read from a file; NAME=VALUE is for scripts that nobody looks "+
					"over: others on this machine can see it. May be repeated", secrets.add)
			f.StringVar(&o.config, "config", "",
				"read vars from `FILE`, a wrangler.toml, wrangler.jsonc or wrangler.json; by default from "+
					"the one in the current folder, if there is one")
			f.StringVar(&o.environment, "env", "",
				"use the environment `NAME` of that file, and .dev.vars.NAME")
			f.StringVar(&o.devVars, "dev-vars", "",
				"read vars and secrets from `FILE`, in the form of .dev.vars; by default from .dev.vars "+
					"beside that file or, if there is none, from .env")
		}},
		section{"Addresses", func(f *flag.FlagSet) {
			f.StringVar(&o.addr, "addr", "127.0.0.1:8787", "listen on `HOST:PORT`; port 0 picks a free one")
			f.StringVar(&o.metricsAddr, "metrics-addr", "",
				"show the metrics without a key at http://`HOST:PORT`/metrics; HOST is localhost or a "+
					"loopback address. The server itself shows them at /metrics with ADMIN_KEY")
		}},
		section{"Data", func(f *flag.FlagSet) {
			f.StringVar(&o.data, "data", "",
				"store data in `DIR`, which is made if there is none; by default data is in memory only")
			f.StringVar(&o.record, "record", "",
				"write each exchange, in the clear except for keys, to a file in `DIR`, which is made if "+
					"there is none; replay reads the files, and the page shows them")
			f.StringVar(&o.recorded, "record-endpoint", "",
				"with --record: write only the exchanges of the personal endpoint `NAME`")
		}},
		section{"Limits", func(f *flag.FlagSet) {
			f.DurationVar(&o.grace, "grace", 30*time.Second,
				"how long open requests may continue after a signal; new ones are refused meanwhile")
			f.IntVar(&o.maxConcurrent, "max-concurrent", defaultConcurrent(),
				"refuse requests of an endpoint while it has `N` open; all endpoints together have a "+
					"quarter more; by default as many as there is memory for, at most 1024")
		}},
		section{"Engine", func(f *flag.FlagSet) {
			o.engine = wasm
			f.Var(&o.engine, "engine",
				"run each request as an instance of the module, `wasm` (by default), or in this process, "+
					"native: faster, for one user, and a fault may end the process")
		}},
		section{"Tests", func(f *flag.FlagSet) {
			f.StringVar(&o.wasm, "wasm", built.Module,
				"`PATH` of another module; by default the one beside this program, or build/app.wasm")
			f.StringVar(&o.connect, "connect", "",
				"connect to `HOST:PORT` instead of every upstream, for tests with a server of their own")
			f.BoolVar(&o.trace, "trace", false,
				"log each call between the program and the host; strings and bytes are shown by their length")
		}})
}

// complete checks the flags, and takes the vars and secrets of list and secrets.
func (o *serveOptions) complete(args []string, list, secrets assignments) error {
	switch {
	case o.maxConcurrent < 1:
		return usageError{errors.New("--max-concurrent takes a number from 1 on")}
	case o.grace < 0:
		return usageError{errors.New("--grace takes a time such as 30s, not a negative one")}
	case o.metricsAddr != "" && !guard.Loopback(o.metricsAddr):
		return usageError{errors.New("--metrics-addr takes localhost or a loopback address, such as " +
			"127.0.0.1:9464: nobody is asked for a key there; " +
			"for other machines, the server shows its metrics at /metrics with ADMIN_KEY")}
	case o.trace && o.engine == native:
		return usageError{errors.New("--trace needs --engine wasm: it logs the calls of the module")}
	case o.recorded != "" && o.record == "":
		return usageError{errors.New("--record-endpoint needs --record DIR")}
	case len(args) > 0:
		// the argument is not repeated: it may be a key
		return usageError{errors.New("serve takes flags alone, each with its value after = or a " +
			"space; `edgelingua serve -h` lists them")}
	}
	if err := list.set(o.vars); err != nil {
		return err
	}
	return o.setSecrets(secrets)
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
