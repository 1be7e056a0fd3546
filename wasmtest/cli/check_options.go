package cli

import (
	"errors"
	"flag"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"edgelingua/wasmtest/smoke"
)

// checkOptions are the flags of check.
type checkOptions struct {
	url   string
	json  bool
	model string
	yes   bool
}

// check returns the command check.
func (p *program) check() *cobra.Command {
	o := &checkOptions{}
	return newCommand(
		description{section: checking, use: "check [flags] URL", short: "check any server of the four APIs",
			long: `edgelingua check [flags] URL checks a server of Anthropic's Messages, OpenAI's
Chat Completions, OpenAI's Responses or Google's Gemini API, edgelingua or not.

It looks for these APIs, with /v1 and without, and checks the form of the answers of each that the
server has: a text and a forced tool call, streamed and plain, the list of models, count_tokens, and
errors. What clients' SDKs would fail on is a failure; the words of models are not checked. It makes
4 requests of at most 64 output tokens each for each API. An answer has a minute. The key is read
from EDGELINGUA_KEY, or asked for; redirects are not followed, so the key goes nowhere else.

Whether an edgelingua keeps its own promises too, as about keys and refusals, smoke --url checks.

--json prints one object, as smoke does, with:
  apis    a list of objects: name, served, url, and why, if the API is not served
  checks  also has not_served, of a list or a count that the server does not have`,
			example: `edgelingua check --model qwen3:8b http://127.0.0.1:11434`,
			exit: "Exit codes: 0 what is served is well; 1 a check failed, or nothing could be checked; " +
				"2 the command line is wrong."},
		func(args []string) error {
			if err := o.setURL(args); err != nil {
				return usageError{fmt.Errorf("%w; `edgelingua check -h` says more", err)}
			}
			return runCheck(o, p.signals, p.stdin, p.stdout, p.stderr)
		},
		section{"Flags", func(f *flag.FlagSet) {
			f.BoolVar(&o.json, "json", false, "print JSON, and nothing else")
			f.StringVar(&o.model, "model", "",
				"the `NAME` of the model to ask; needed if the server lists several")
			f.BoolVar(&o.yes, "yes", false, "do not ask before tokens are spent")
		}},
	)
}

// setURL takes the arguments, which must be one URL. Errors do not repeat the arguments: a key may
// be among them.
func (o *checkOptions) setURL(args []string) error {
	if len(args) != 1 {
		return errors.New("check takes flags, and behind them the URL of one server")
	}
	u, err := url.Parse(args[0])
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("the URL begins with https:// or http://")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the URL has no key, query or fragment; the key is read from " + keyVariable)
	}
	o.url = smoke.Base(u.String())
	return nil
}
