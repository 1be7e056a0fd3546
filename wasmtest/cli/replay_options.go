package cli

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// replayOptions are the flags of replay.
type replayOptions struct {
	client   string
	upstream string
	request  string // the file with the client's request; "" for none
	events   bool
	vars     map[string]string // from --url and --var
	file     string            // the file with the answer; "" for none
}

// replay returns the command replay.
func (p *program) replay() *cobra.Command {
	o := &replayOptions{vars: map[string]string{}}
	var list assignments
	c := newCommand(
		description{
			section: checking,
			use:     "replay [flags] FILE",
			short:   "show a recorded request or answer translated",
			long: `edgelingua replay [flags] FILE shows what a client gets for an answer of an
upstream.

FILE, or - for the standard input, is a stream (SSE, or the JSON of one event each line), a plain
JSON body, or a scenario of translator/testdata, which names the client, the request and the
upstream itself. Without FILE and with --request it shows what reaches the upstream. What could not
be carried over goes to stderr.`,
			example: `edgelingua replay --client anthropic --upstream chat answer.sse
edgelingua replay --client anthropic --upstream responses --request request.json`,
			exit: exitCodes,
		},
		func(args []string) error {
			if len(args) > 0 {
				o.file = args[0]
			}
			if err := o.check(args); err != nil {
				return usageError{fmt.Errorf("%w; `edgelingua replay -h` says more", err)}
			}
			if err := list.set(o.vars); err != nil {
				return err
			}
			return replay(o, p.stdin, p.stdout, p.stderr)
		},
		section{"The two sides", func(f *flag.FlagSet) {
			f.Func("client", "the client's `PROTOCOL`: "+translator.JoinNames(clientName, "or"),
				protocol(&o.client, clientName))
			f.Func("upstream", "the upstream's `PROTOCOL`: "+translator.JoinNames(nameOf, "or"),
				protocol(&o.upstream, nameOf))
			f.Func("url", "the upstream's base `URL`: what it accepts is known by its host and the model",
				func(url string) error { return list.add("UPSTREAM_URL=" + url) })
			f.Func("var",
				"set a setting of the endpoint, as `NAME=VALUE`: MODELS, OPTIONS, UPSTREAM_OPTIONS; may be "+
					"repeated", list.add)
		}},
		section{"What is shown", func(f *flag.FlagSet) {
			f.StringVar(&o.request, "request", "",
				"`FILE` with the client's request; the answer is then shown as one to it")
			f.BoolVar(&o.events, "events", false,
				"show the events of the hub, a line each, instead of what the client gets")
		}},
	)
	c.ValidArgsFunction = nil // files
	for name, of := range map[string]func(*ir.API) string{"client": clientName, "upstream": nameOf} {
		c.RegisterFlagCompletionFunc(
			name,
			cobra.FixedCompletions(protocols(of), cobra.ShellCompDirectiveNoFileComp),
		)
	}
	return c
}

// protocols returns the results of name for all protocols, without "".
func protocols(name func(*ir.API) string) (list []string) {
	for _, api := range translator.APIs {
		if n := name(api); n != "" {
			list = append(list, n)
		}
	}
	return list
}

func nameOf(api *ir.API) string { return api.Name }

// clientName returns the name of a protocol of clients, "" for any other protocol.
func clientName(api *ir.API) string {
	if !api.HasClients() {
		return ""
	}
	return api.Name
}

// protocol returns a flag's function. It stores a protocol's name in to, if of returns a name for
// the protocol.
func protocol(to *string, of func(*ir.API) string) func(name string) error {
	return func(name string) error {
		if api := translator.API(name); api == nil || of(api) == "" {
			return errors.New("the protocols are " + translator.JoinNames(of, "and"))
		}
		*to = name
		return nil
	}
}

// check returns the error for a missing flag or an extra argument.
func (o *replayOptions) check(args []string) error {
	switch {
	case len(args) > 1:
		return fmt.Errorf("replay takes one FILE, after all flags, and not %q too", args[1])
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
