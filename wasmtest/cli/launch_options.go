package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"edgelingua/wasmtest/built"
)

// launchOptions are the flags of a command that runs a client.
type launchOptions struct {
	client *client
	args   []string // the client's own
	model  string
	log    string // the file that gets serve's log; "" for none
	serve  serveOptions
}

const launchSynopsis = `edgelingua %[1]s [flags] -- ARGS serves on a free port of 127.0.0.1, runs %[2]s with ARGS, and ends with it.

The upstream is that of --upstream, or what serve would have from flags, from the environment (EDGELINGUA_SET_*) and from the files that
--config names. The client has the keys of nobody but a random one for this server, and none of your own settings changes.

Exit codes: the client's; 128 and the number of the signal that ended it; 1 it could not be run; 2 the command line or the settings are wrong.
`

// parseLaunch parses the flags of a command that runs a client. Where they ask for the help text,
// it prints that and returns flag.ErrHelp.
func parseLaunch(c *client, args []string, stdout io.Writer) (*launchOptions, error) {
	o := &launchOptions{client: c, serve: serveOptions{addr: "127.0.0.1:0",
		maxConcurrent: defaultConcurrent(), namedOnly: true, vars: map[string]string{}}}
	if i := slices.Index(args, "--"); i >= 0 {
		args, o.args = args[:i], args[i+1:]
	}
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	upstream := flags.String("upstream", "", "ask `NAME`, in place of the upstream that is set: "+
		presetNames())
	flags.StringVar(&o.model, "model", "",
		"have the client ask for the model `NAME`. MODELS maps it, as any; where MODELS is not set, all "+
			"that the client asks for becomes this one")
	flags.StringVar(&o.serve.config, "config", "",
		"read vars from `FILE`, a wrangler.toml, and secrets from the .dev.vars beside it; the files of "+
			"the current folder are not read")
	flags.StringVar(&o.serve.environment, "env", "", "go by the environment `NAME` of that file")
	flags.StringVar(&o.serve.wasm, "wasm", built.Beside(), "`PATH` of the module")
	flags.StringVar(&o.serve.connect, "connect", "",
		"connect to `HOST:PORT` in place of every upstream, as for serve")
	flags.StringVar(&o.log, "log", "", "append what serve would print to `FILE`")
	var list, secrets assignments
	flags.Func("var", "set a var of the program, as `NAME=VALUE`, over all else; may be repeated", list.add)
	flags.Func("secret",
		"set a secret of the program, over all else: `NAME` is asked for at the terminal, without an "+
			"echo; NAME=@FILE is read from a file. May be repeated", secrets.add)
	if err := parse(flags, args, fmt.Sprintf(launchSynopsis, c.name, c.title), stdout); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		// without the argument, which may be a key
		return nil, usageError{fmt.Errorf("what is for %s goes behind --, as in `edgelingua %s -- ARGS`",
			c.title, c.name)}
	case o.serve.environment != "" && o.serve.config == "":
		return nil, usageError{errors.New("--env needs --config: the files of the current folder " +
			"are not read")}
	}
	var err error
	if o.serve.upstream, err = presetOf(*upstream); err != nil {
		return nil, usageError{err}
	}
	if err := list.set(o.serve.vars); err != nil {
		return nil, err
	}
	return o, o.serve.setSecrets(secrets)
}
