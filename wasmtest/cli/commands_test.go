package cli

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parseServe returns the options of serve for args.
func parseServe(args []string, stdout io.Writer) (*serveOptions, error) {
	o := &serveOptions{}
	return o, execute(serveCommand(o, func() error { return nil }), args, stdout, io.Discard)
}

// ran runs a command line and returns its exit code and output.
func ran(t *testing.T, args string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err strings.Builder
	code = run(strings.Fields(args), nil, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// commandNames are all commands except completion, whose help text comes from the library.
var commandNames = []string{"serve", "claude", "codex", "opencode", "smoke", "check", "explain", "replay", "healthy",
	"deploy", "version", "help"}

// TestHelp: each command is in the list, and help COMMAND prints the text of COMMAND -h.
func TestHelp(t *testing.T) {
	_, list, _ := ran(t, "help")
	for _, name := range commandNames {
		assert.Contains(t, list, "\n  edgelingua "+name, name)
		code, text, stderr := ran(t, "help "+name)
		assert.Zero(t, code)
		assert.Empty(t, stderr)
		assert.Contains(t, text, "edgelingua "+name)
		for _, flag := range []string{"-h", "--help", "-help"} {
			code, other, _ := ran(t, name+" "+flag)
			assert.Zero(t, code)
			assert.Equal(t, text, other, "%s %s", name, flag)
		}
		for line := range strings.Lines(text) {
			assert.LessOrEqual(t, len(strings.TrimRight(line, "\n")), 120, line)
		}
	}
	assert.Contains(t, list, "\n  edgelingua completion SHELL")
	for _, args := range []string{"help nothing", "nothing", "help server"} {
		code, stdout, stderr := ran(t, args)
		assert.Equal(t, exitUsage, code)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, "there is no command ")
	}
}

// TestHelpIsGrouped: flags are under titles, and commands have examples.
func TestHelpIsGrouped(t *testing.T) {
	_, text, _ := ran(t, "serve -h")
	at := -1
	for _, part := range []string{"\nExamples:\n\n  edgelingua serve --demo\n", "\nTo try it:\n", "--demo ",
		"\nSettings:\n", "--secret NAME", "\nAddresses:\n", "--addr HOST:PORT", "\nData:\n", "--data DIR",
		"\nLimits:\n", "--grace duration", "\nTests:\n", "--wasm PATH", "\nExit codes: 0 "} {
		next := strings.Index(text, part)
		assert.Greater(t, next, at, part)
		at = next
	}
	for _, name := range commandNames[1 : len(commandNames)-2] {
		_, text, _ := ran(t, name+" -h")
		assert.Contains(t, text, "\nExamples:\n\n  edgelingua "+name, name)
		assert.Contains(t, text, "\nExit codes: ", name)
	}
}

// TestExamples: the flags of each example exist.
func TestExamplesAreRight(t *testing.T) {
	root := newRoot(&program{})
	for _, c := range root.Commands() {
		for line := range strings.Lines(c.Example) {
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "edgelingua" || c.Name() == "completion" {
				continue
			}
			require.Equal(t, c.Name(), words[1])
			assert.NoError(t, c.ParseFlags(words[2:]), line)
		}
	}
}

// TestMistypedNames: errors name the nearest command or flag.
func TestMistypedNames(t *testing.T) {
	t.Setenv(keyVariable, "")
	for args, want := range map[string]string{
		"server":                         `there is no command "server"; did you mean serve?; `,
		"dpeloy":                         `there is no command "dpeloy"; did you mean deploy?; `,
		"claud":                          "did you mean claude?; ",
		"help smok":                      "did you mean smoke?; ",
		"nothing-like-it":                "there is no command \"nothing-like-it\"; `edgelingua help`",
		"serve --adr 1":                  "serve has no flag --adr; did you mean --addr?; ",
		"serve -adr 1":                   "serve has no flag --adr; did you mean --addr?; ",
		"serve --metrics x":              "serve has no flag --metrics; did you mean --metrics-addr?; ",
		"serve --port=1":                 "serve has no flag --port; `edgelingua serve -h` lists the flags",
		"smoke --josn":                   "smoke has no flag --josn; did you mean --json?; ",
		"serve --grace":                  "--grace needs a value; ",
		"serve --grace=soon":             "--grace: ",
		"serve --max-concurrent many":    "--max-concurrent: ",
		"claude --upstream olama -- x":   "--upstream takes no such name; did you mean ollama?",
		"deploy --personnal":             "deploy has no flag --personnal; did you mean --personal?; ",
		"completion":                     "completion needs a shell: bash, zsh, fish or powershell",
		"completion tcsh":                "completion takes bash, zsh, fish or powershell",
		"replay -":                       "replay needs --client PROTOCOL",
		"serve --secret UPSTREAM_KEY=@x": "UPSTREAM_KEY of --secret: there is no file x",
	} {
		code, stdout, stderr := ran(t, args)
		assert.Equal(t, exitUsage, code, args)
		assert.Empty(t, stdout, args)
		assert.Contains(t, stderr, want, args)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

// TestOneHyphen: flags with one hyphen still work, as with package flag, and the first argument
// still ends the flags. Values do not change.
func TestOneHyphen(t *testing.T) {
	o, err := parseServe([]string{"-addr", "127.0.0.1:1", "-demo", "-secret", "CLIENT_KEY=-data", "-data",
		"-demo", "-var=USAGE=true", "--grace", "5s"}, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1:1", o.addr)
	assert.True(t, o.demo)
	assert.Equal(t, "-demo", o.data)
	assert.Equal(t, map[string]string{"CLIENT_KEY": "-data", "USAGE": "true"}, o.vars)
	assert.Equal(t, "5s", o.grace.String())
	o, err = parseServe([]string{"-demo=false"}, io.Discard)
	require.NoError(t, err)
	assert.False(t, o.demo)
}

// TestCompletion: scripts for four shells, and the answers to their requests.
func TestCompletion(t *testing.T) {
	_, text, _ := ran(t, "completion zsh -h")
	assert.Contains(t, text, "To load completions for every new session")
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		code, script, stderr := ran(t, "completion "+shell)
		assert.Zero(t, code)
		assert.Empty(t, stderr)
		assert.Contains(t, script, "__complete")
	}
	for args, want := range map[string]string{
		"__complete se":                      "serve\t",
		"__complete serve --me":              "--metrics-addr\t",
		"__complete claude --upstream ol":    "ollama\n",
		"__complete replay --client anthr":   "anthropic\n",
		"__complete replay --upstream inter": "interactions\n",
	} {
		code, stdout, _ := ran(t, args)
		assert.Zero(t, code)
		assert.Contains(t, stdout, want, args)
	}
}

// TestCompletionNamesNoFiles: a command without files as arguments does not offer the folder's
// files.
func TestCompletionNamesNoFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("file", nil, 0o600))
	var stdout strings.Builder
	assert.Zero(t, run([]string{"__complete", "serve", ""}, nil, nil, &stdout, io.Discard))
	assert.Equal(t, ":4\n", stdout.String())
}
