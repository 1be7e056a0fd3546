package cli

import (
	"errors"
	"flag"
	"fmt"

	"github.com/spf13/cobra"

	"edgelingua/wasmtest/built"
)

// launchOptions are the flags of a command that runs a client.
type launchOptions struct {
	client *client
	args   []string // the client's own
	model  string
	log    string // the file for serve's log; "" for none
	use    use
	serve  serveOptions
}

// launch returns the command for a client.
func (p *program) launch(c *client) *cobra.Command {
	o := &launchOptions{client: c, serve: serveOptions{addr: "127.0.0.1:0", engine: native,
		wasm:          built.Beside(),
		maxConcurrent: defaultConcurrent(), namedOnly: true, vars: map[string]string{}}}
	var list, secrets assignments
	var upstream string
	command := newCommand(description{section: running, use: c.name + " [flags] -- ARGS",
		short: "run " + c.title + " on any upstream",
		long: fmt.Sprintf(
			`edgelingua %[1]s [flags] -- ARGS serves on a free port of 127.0.0.1 with the native engine, runs
%[2]s with ARGS, and ends with it.

The upstream is that of --upstream, or what serve would use by flags, by the environment
(EDGELINGUA_SET_*) and by the files that --config names. Before %[2]s starts, the upstream is asked
for its models, for up to 2 seconds: a server that is not running is an error then, and so is a model
that Ollama or vLLM does not have. %[2]s gets none of your keys, only a random one for this server,
and none of your own settings changes. HTTPS_PROXY, HTTP_PROXY and NO_PROXY are used for the upstream.`,
			c.name,
			c.title,
		),
		example: fmt.Sprintf(`edgelingua %[1]s --upstream ollama --model qwen3-coder
edgelingua %[1]s --upstream openrouter --model z-ai/glm-4.6 --secret UPSTREAM_KEY -- --help
    asks for the key; %[2]s gets --help`, c.name, c.title),
		exit: "Exit codes: the client's; 128 and the number of the signal that ended it; 1 it could not be " +
			"run,\nor nothing answers at the upstream; 2 the command line or the settings are wrong."},
		nil,
		section{"Upstream and model", func(f *flag.FlagSet) {
			f.StringVar(&upstream, "upstream", "",
				"use `NAME` instead of the upstream that is set: "+presetNames())
			f.StringVar(&o.model, "model", "",
				"have the client request the model `NAME`. MODELS maps it, as any; if MODELS is not set, "+
					"all models that the client requests become this one")
			f.Func("var", "set a var, as `NAME=VALUE`; it wins over all else; may be repeated", list.add)
			f.Func("secret",
				"set a secret; it wins over all else. `NAME` is asked for at the terminal, without an "+
					"echo; NAME=@FILE is read from a file. May be repeated", secrets.add)
			f.StringVar(&o.serve.config, "config", "",
				"read vars from `FILE`, a wrangler.toml, wrangler.jsonc or wrangler.json, and secrets from "+
					"the .dev.vars beside it; the files of the current folder are not read")
			f.StringVar(&o.serve.environment, "env", "", "use the environment `NAME` of that file")
		}},
		section{"Log and tests", func(f *flag.FlagSet) {
			f.StringVar(&o.log, "log", "", "append what serve would print to `FILE`")
			f.StringVar(&o.serve.connect, "connect", "",
				"connect to `HOST:PORT` instead of every upstream, as for serve")
		}})
	command.RunE = func(_ *cobra.Command, args []string) error {
		// an argument or --, whichever comes first, ends the flags
		if command.ArgsLenAtDash() != 0 && len(args) > 0 {
			// the argument is not repeated: it may be a key
			return usageError{fmt.Errorf("what is for %s goes after --, as in `edgelingua %s -- ARGS`",
				c.title, c.name)}
		}
		o.args = args
		if err := o.complete(upstream, list, secrets); err != nil {
			return err
		}
		return launch(o, p.signals, p.stdin, p.stdout, p.stderr)
	}
	command.RegisterFlagCompletionFunc("upstream", cobra.FixedCompletions(presetIDs(),
		cobra.ShellCompDirectiveNoFileComp))
	command.RegisterFlagCompletionFunc("model", cobra.NoFileCompletions)
	return command
}

// complete checks the flags, and takes the upstream, and the vars and secrets of list and secrets.
func (o *launchOptions) complete(upstream string, list, secrets assignments) (err error) {
	if o.serve.environment != "" && o.serve.config == "" {
		return usageError{errors.New("--env needs --config: the files of the current folder are not read")}
	}
	if o.serve.upstream, err = presetOf(upstream); err != nil {
		return usageError{err}
	}
	if err := list.set(o.serve.vars); err != nil {
		return err
	}
	return o.serve.setSecrets(secrets)
}
