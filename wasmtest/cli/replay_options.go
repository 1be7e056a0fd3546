package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

const replaySynopsis = `edgelingua replay [flags] FILE shows what a client gets for an answer of an upstream.

FILE, or - for the standard input, is a stream (SSE, or the JSON of one event each line), a plain JSON body, or a scenario of
translator/testdata, which says by itself who asks, for what, and who answers. Without FILE and with --request it shows what
reaches the upstream. What could not be carried over goes to stderr.
`

// replayOptions are the flags of replay.
type replayOptions struct {
	client   string
	upstream string
	request  string // the file with the client's request; "" for none
	events   bool
	vars     map[string]string // what --url and --var set
	file     string            // the file with the answer; "" for none
}

// parseReplay parses the flags of replay. Where they ask for the help text, it prints that and
// returns flag.ErrHelp.
func parseReplay(args []string, stdout io.Writer) (*replayOptions, error) {
	o := &replayOptions{vars: map[string]string{}}
	flags := flag.NewFlagSet("replay", flag.ContinueOnError)
	flags.Func("client", "the client's `PROTOCOL`: "+translator.Names(clientName, "or"), protocol(&o.client,
		clientName))
	flags.Func("upstream", "the upstream's `PROTOCOL`", protocol(&o.upstream, nameOf))
	flags.StringVar(&o.request, "request", "",
		"`FILE` with the client's request; the answer is then read and shown as one to it")
	flags.BoolVar(&o.events, "events", false,
		"show the events of the hub, a line each, in place of what the client gets")
	var list assignments
	flags.Func("url", "the upstream's base `URL`: what it accepts is known by its host and the model",
		func(url string) error {
			return list.add("UPSTREAM_URL=" + url)
		})
	flags.Func("var",
		"set a setting of the endpoint, as `NAME=VALUE`: MODELS, OPTIONS, UPSTREAM_OPTIONS; may be repeated",
		list.add)
	if err := parse(flags, args, replaySynopsis, stdout); err != nil {
		return nil, err
	}
	o.file = flags.Arg(0)
	if err := o.check(flags.Args()); err != nil {
		return nil, usageError{fmt.Errorf("%w; `edgelingua replay -h` says more", err)}
	}
	return o, list.set(o.vars)
}

func nameOf(api *ir.API) string { return api.Name }

// clientName returns the name of a protocol that clients speak, "" for any other.
func clientName(api *ir.API) string {
	if !api.HasClients() {
		return ""
	}
	return api.Name
}

// protocol returns a flag's function that stores the name of a protocol in to, one that is what of
// returns.
func protocol(to *string, of func(*ir.API) string) func(name string) error {
	return func(name string) error {
		if api := translator.API(name); api == nil || of(api) == "" {
			return errors.New("the protocols are " + translator.Names(of, "and"))
		}
		*to = name
		return nil
	}
}

// check returns what is missing, or too much, in the command line.
func (o *replayOptions) check(args []string) error {
	switch {
	case len(args) > 1:
		return fmt.Errorf("replay takes one FILE, behind all flags, and not %q too", args[1])
	case o.file == "" && o.request == "":
		return errors.New("replay needs a FILE with the answer of an upstream, or --request FILE")
	case o.file == "" && o.events:
		return errors.New("--events needs a FILE with the answer of an upstream")
	case o.file == "-" && o.request == "-":
		return errors.New("FILE and --request can't both be the standard input")
	case o.isScenario():
		return nil
	case o.client == "":
		return errors.New("replay needs --client PROTOCOL: whose dialect to show")
	case o.upstream == "":
		return errors.New("replay needs --upstream PROTOCOL: the other side's")
	}
	return nil
}

// isScenario reports whether the file is a scenario of the corpus.
func (o *replayOptions) isScenario() bool { return strings.HasSuffix(o.file, ".txtar") }
