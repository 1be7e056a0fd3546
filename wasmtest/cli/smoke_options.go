package cli

import (
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"edgelingua/wasmtest/built"
)

// keyVariable is the variable of the environment for the key: a variable is not in the shell's
// history.
const keyVariable = "EDGELINGUA_KEY"

// smokeOptions are the flags of smoke.
type smokeOptions struct {
	wasm  string
	json  bool
	url   string // the URL of a deployed worker; "": the module is checked
	key   string
	model string
	yes   bool
}

// smoke returns the command smoke.
func (p *program) smoke() *cobra.Command {
	o := &smokeOptions{}
	return newCommand(
		description{section: checking, use: "smoke [flags]", short: "check the module, or a deployed worker",
			long: `edgelingua smoke [flags] checks every pair of protocols in the module, with its
errors and its keys.

It needs no key and no network: the upstream is the demo of serve --demo. With --url it checks a
deployed worker instead: its keys and refusals, and on each client path one text and one forced tool
call, streamed and plain. That makes 16 requests of at most 64 output tokens each. The words of
models are not checked. For a server that is not edgelingua there is edgelingua check.

--json prints one object:
  ok      true if no check failed
  ms      how long all checks took
  checks  a list of objects: name, pair (client/upstream, or the client alone), ok, ms; expected and
          got, of a check that failed; note, of one that could not check everything, as if a model
          takes no forced calls
  usage   with --url: a list of objects: path, input_tokens, output_tokens`,
			example: `edgelingua smoke
edgelingua smoke --url https://edgelingua.example.workers.dev --model gpt-5.5
    with the worker's CLIENT_KEY in the variable EDGELINGUA_KEY`,
			exit: "Exit codes: 0 all is well; 1 a check failed, or nothing could be checked; 2 the command " +
				"line is wrong."},
		func(args []string) error {
			if o.url != "" && o.key == "" {
				o.key = os.Getenv(keyVariable)
			}
			if err := o.check(args); err != nil {
				return usageError{fmt.Errorf("%w; `edgelingua smoke -h` says more", err)}
			}
			return runSmoke(o, p.signals, p.stdin, p.stdout, p.stderr)
		},
		section{"A deployed worker", func(f *flag.FlagSet) {
			f.Func("url", "check the worker at `URL`, as https://edgelingua.example.workers.dev", o.setURL)
			f.StringVar(&o.key, "key", "",
				"the worker's CLIENT_KEY; better in the environment, as "+keyVariable)
			f.StringVar(&o.model, "model", "",
				"the `NAME` of the model to ask; needed if the worker lists several")
			f.BoolVar(&o.yes, "yes", false, "do not ask before tokens are spent")
		}},
		section{"Output and module", func(f *flag.FlagSet) {
			f.BoolVar(&o.json, "json", false, "print JSON, and nothing else")
			f.StringVar(&o.wasm, "wasm", built.Module,
				"`PATH` of another module; by default the one beside this program, or build/app.wasm")
		}},
	)
}

// setURL takes the address of a worker, without a path.
func (o *smokeOptions) setURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("it begins with https:// or http://")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return errors.New("it is the address of the worker alone: " + u.Scheme + "://" + u.Host)
	}
	o.url = u.Scheme + "://" + u.Host
	return nil
}

// check returns the error for a missing flag or an extra argument.
func (o *smokeOptions) check(args []string) error {
	switch {
	case len(args) > 0:
		return errors.New("smoke takes flags only") // the argument is not repeated: it may be a key
	case o.url == "" && (o.key != "" || o.model != "" || o.yes):
		return errors.New("--key, --model and --yes need --url")
	case o.url != "" && o.key == "":
		return errors.New("--url needs the worker's CLIENT_KEY, in " + keyVariable + " or as --key")
	}
	return nil
}
