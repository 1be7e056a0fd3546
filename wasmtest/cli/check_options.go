package cli

import (
	"errors"
	"flag"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"edgelingua/wasmtest/conform"
)

// checkOptions are the flags of check.
type checkOptions struct {
	url       string
	model     string
	yes       bool
	json      bool
	markdown  bool
	junit     string // file
	badge     string // file
	only      commaList
	skip      commaList
	list      bool
	explain   string
	upstreams commaList
	listen    string
	gateway   []string // the command that starts the gateway
}

// commaList is a flag with a list.
type commaList []string

// Set makes commaList a flag.Value. A repeated flag adds to the list.
func (l *commaList) Set(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one != "" {
			*l = append(*l, one)
		}
	}
	return nil
}

func (l *commaList) String() string { return strings.Join(*l, ",") }

// check returns the command check.
func (p *program) check() *cobra.Command {
	o := &checkOptions{}
	return newCommand(
		description{section: checking, use: "check [flags] URL [-- COMMAND]",
			short: "check any server or gateway of the four APIs",
			long: `edgelingua check [flags] URL runs the conformance suite on a server of Anthropic's
Messages, OpenAI's Chat Completions, OpenAI's Responses or Google's Gemini API, edgelingua or not. Each
case has an ID, and a source: a vendor's document, an SDK's type, or a client that breaks. --list lists
the cases, and --explain ID says what must hold, and why.

check looks for these APIs, with /v1 and without. A real model says what it wants: cases that need
known words or calls are skipped, and answers have at most 64 tokens. check says how many requests it
makes, and asks before. An API that --only names must be served. The key is read from EDGELINGUA_KEY,
or asked for; redirects are not followed, so the key goes nowhere else.

With --upstream the server is a gateway, and check is also its upstream: scripted doubles of the
vendor that reject what the vendor rejects. All cases run, for every client API that the gateway
serves, and no model is asked. check prints the upstream's URL and key, waits until the gateway
answers at URL, and runs. Or it starts the gateway itself, once for each upstream: in COMMAND it
replaces {url}, {key}, {model} and {api} (as in --upstream).

--json prints one object:
  suite, ok, ms   version of this schema; whether a case passed and none failed; duration
  counts          number of results by state
  reports         a list, one for each upstream, of objects:
    ok, target, ms, counts, stopped   stopped: why the run ended early
    apis          a list of: name, served, url, and why, if the API is not served
    results       a list of: id, title, client, upstream, severity (fails: a client fails; loses:
                  information is lost; style), state (passed, failed, skipped, absent: an optional
                  feature is not served), expected and got of a failure, note`,
			example: `edgelingua check --model qwen3:8b http://127.0.0.1:11434
edgelingua check --upstream chat --listen 127.0.0.1:9000 http://127.0.0.1:8787
edgelingua check --explain messages/stream/1.1`,
			exit: "Exit codes: 0 cases passed, and none failed; 1 a case failed, or not all could be " +
				"tested; 2 the command line is wrong."},
		func(args []string) error {
			if err := o.set(args); err != nil {
				return usageError{fmt.Errorf("%w; `edgelingua check -h` says more", err)}
			}
			return runCheck(o, p.signals, p.stdin, p.stdout, p.stderr)
		},
		section{"Cases", func(f *flag.FlagSet) {
			f.Var(&o.only, "only", "run only these cases: a `LIST` of IDs or beginnings, as "+
				"messages/stream,*/cache")
			f.Var(&o.skip, "skip", "leave out the cases of a `LIST`")
			f.BoolVar(&o.list, "list", false, "list the cases, and run none")
			f.StringVar(&o.explain, "explain", "", "explain the case `ID`, and run none")
		}},
		section{"Server", func(f *flag.FlagSet) {
			f.StringVar(&o.model, "model", "",
				"the `NAME` of the model to ask; needed if the server lists several")
			f.BoolVar(&o.yes, "yes", false, "do not ask before tokens are spent")
		}},
		section{"Gateway", func(f *flag.FlagSet) {
			f.Var(&o.upstreams, "upstream", "be the gateway's upstream with these `APIS`: "+
				strings.Join(conform.Upstreams, ","))
			f.StringVar(&o.listen, "listen", "127.0.0.1:0", "the `ADDRESS` of the upstream")
		}},
		section{"Output", func(f *flag.FlagSet) {
			f.BoolVar(&o.json, "json", false, "print JSON, and nothing else")
			f.BoolVar(&o.markdown, "markdown", false, "print tables in Markdown, with one of prompt caching")
			f.StringVar(&o.junit, "junit", "", "also write JUnit's XML to `FILE`")
			f.StringVar(&o.badge, "badge", "", "also write a badge (SVG) to `FILE`")
		}},
	)
}

// set takes the arguments. Errors do not repeat the arguments: a key may be among them.
func (o *checkOptions) set(args []string) error {
	for _, patterns := range [][]string{o.only, o.skip} {
		if unknown := conform.Unknown(patterns); unknown != "" {
			return fmt.Errorf("no case matches %q; --list lists the cases", unknown)
		}
	}
	if o.explain != "" && conform.Lookup(o.explain) == nil {
		return fmt.Errorf("there is no case %q; --list lists the cases", o.explain)
	}
	if o.list || o.explain != "" {
		if len(args) > 0 {
			return errors.New("--list and --explain take no URL")
		}
		return nil
	}
	if o.json && o.markdown {
		return errors.New("--json and --markdown exclude each other")
	}
	if err := o.setGateway(args); err != nil {
		return err
	}
	u, err := url.Parse(args[0])
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("the URL begins with https:// or http://")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the URL has no key, query or fragment; the key is read from " + keyVariable)
	}
	o.url = conform.Base(u.String())
	return nil
}

// setGateway takes the arguments after the URL.
func (o *checkOptions) setGateway(args []string) error {
	if len(args) > 1 && args[1] == "--" {
		o.gateway = args[2:]
	}
	for _, name := range o.upstreams {
		if _, err := conform.NewUpstream(name); err != nil {
			return err
		}
	}
	switch {
	case len(args) == 0 || len(args) > 1 && len(o.gateway) == 0:
		return errors.New("check takes flags, and after them the URL of one server")
	case len(o.gateway) > 0 && len(o.upstreams) == 0:
		return errors.New("a command needs --upstream")
	case len(o.upstreams) > 1 && len(o.gateway) == 0:
		return errors.New("several upstreams need the command that starts the gateway: URL -- COMMAND")
	}
	return nil
}
