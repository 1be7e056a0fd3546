package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"

	"edgelingua/wasmtest/built"
)

const smokeSynopsis = `edgelingua smoke [flags] checks every pair of protocols in the module, with its errors and its keys.

It needs no key and no network: the upstream is the demo of serve --demo. With --url it checks a deployed worker in place of that:
its keys and refusals, and on each client path one text and one forced tool call, streamed and plain. That makes 16 requests of at
most 64 output tokens each. What models say in words is not looked at. A server that is no edgelingua is checked by edgelingua check.

Exit codes: 0 all is well; 1 a check failed, or nothing could be checked; 2 the command line is wrong.

--json prints one object:
  ok      true where no check failed
  ms      how long it all took
  checks  a list of objects: name, pair (client/upstream, or the client alone), ok, ms; expected and got, of a check that failed;
          note, of one that could not look at everything, as where a model takes no forced calls
  usage   with --url: a list of objects: path, input_tokens, output_tokens
`

// keyVariable is a variable of the environment for the key, which then is not in the shell's history.
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

// parseSmoke parses the flags of smoke. Where they ask for the help text, it prints that and
// returns flag.ErrHelp.
func parseSmoke(args []string, stdout io.Writer) (*smokeOptions, error) {
	o := &smokeOptions{}
	flags := flag.NewFlagSet("smoke", flag.ContinueOnError)
	flags.StringVar(&o.wasm, "wasm", built.Module, "`PATH` of another module; by default the one beside this program, or build/app.wasm")
	flags.BoolVar(&o.json, "json", false, "print JSON, and nothing else")
	flags.Func("url", "check the worker at `URL`, as https://edgelingua.example.workers.dev", o.setURL)
	flags.StringVar(&o.key, "key", "", "the worker's CLIENT_KEY; better in the environment, as "+keyVariable)
	flags.StringVar(&o.model, "model", "",
		"the `NAME` of the model to ask; needed where the worker lists several")
	flags.BoolVar(&o.yes, "yes", false, "do not ask before tokens are spent")
	if err := parse(flags, args, smokeSynopsis, stdout); err != nil {
		return nil, err
	}
	if o.url != "" && o.key == "" {
		o.key = os.Getenv(keyVariable)
	}
	if err := o.check(flags.Args()); err != nil {
		return nil, usageError{fmt.Errorf("%w; `edgelingua smoke -h` says more", err)}
	}
	return o, nil
}

// setURL takes the address of a worker, which may not have a path.
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

// check returns what is missing, or too much, in the command line.
func (o *smokeOptions) check(args []string) error {
	switch {
	case len(args) > 0:
		return errors.New("smoke takes flags only") // the argument is not repeated, since it may be a key
	case o.url == "" && (o.key != "" || o.model != "" || o.yes):
		return errors.New("--key, --model and --yes need --url")
	case o.url != "" && o.key == "":
		return errors.New("--url needs the worker's CLIENT_KEY, in " + keyVariable + " or as --key")
	}
	return nil
}
