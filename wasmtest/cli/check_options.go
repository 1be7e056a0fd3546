package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"

	"edgelingua/wasmtest/smoke"
)

const checkSynopsis = `edgelingua check [flags] URL checks a server of Anthropic's Messages, OpenAI's Chat Completions or OpenAI's Responses, edgelingua or not.

It looks which of the three the server has, with /v1 and without, and checks the form of what each answers: a text and a forced tool call,
streamed and plain, the list of models, count_tokens, and errors. What clients' SDKs would fail on is a failure; what models say in
words is not looked at. It makes 4 requests of at most 64 output tokens each for each API that is served. An answer has a minute. The
key is read from EDGELINGUA_KEY, or asked for; redirects are not followed, so that it goes nowhere else.

Whether an edgelingua keeps its own promises too, as about keys and refusals, is what smoke --url checks.

Exit codes: 0 what is served is well; 1 a check failed, or nothing could be checked; 2 the command line is wrong.

--json prints one object, as smoke does, and in it:
  apis    a list of objects: name, served, url, and why, where it is not served
  checks  also has not_served, of a list or a count that the server does not have
`

// checkOptions are the flags of check.
type checkOptions struct {
	url   string
	json  bool
	model string
	yes   bool
}

// parseCheck parses the flags of check. Where they ask for the help text, it prints that and
// returns flag.ErrHelp.
func parseCheck(args []string, stdout io.Writer) (*checkOptions, error) {
	o := &checkOptions{}
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.BoolVar(&o.json, "json", false, "print JSON, and nothing else")
	flags.StringVar(&o.model, "model", "",
		"the `NAME` of the model to ask; needed where the server lists several")
	flags.BoolVar(&o.yes, "yes", false, "do not ask before tokens are spent")
	if err := parse(flags, args, checkSynopsis, stdout); err != nil {
		return nil, err
	}
	if err := o.setURL(flags.Args()); err != nil {
		return nil, usageError{fmt.Errorf("%w; `edgelingua check -h` says more", err)}
	}
	return o, nil
}

// setURL takes the arguments, which are the URL alone. Errors do not repeat them, since they may
// hold a key.
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
