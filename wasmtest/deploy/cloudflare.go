package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// cloudflare is the user's account at Cloudflare. All access is by running wrangler.
type cloudflare struct {
	wrangler    string // the executable
	environment string // an environment of wrangler.toml; "" for none
	env         []string
	stdin       io.Reader // the person's input, for questions of wrangler
	out, err    io.Writer
	temporary   bool // use wrangler's temporary account, or make one
}

// find returns the wrangler installed by npm in the folder of a wrangler.toml, or "wrangler", to be
// found on PATH. Folders above are not searched: another user may own them, as with /tmp.
func find(config string) string {
	if folder, err := filepath.Abs(filepath.Dir(config)); err == nil {
		if path, err := exec.LookPath(filepath.Join(folder, "node_modules", ".bin", "wrangler")); err == nil {
			return path
		}
	}
	return "wrangler"
}

// grace is how long an interrupted wrangler may take to end.
const grace = 10 * time.Second

// command returns a run of wrangler, not yet started. Cancelling ctx sends SIGINT, as a terminal
// does.
func (c *cloudflare) command(ctx context.Context, config string, args ...string) *exec.Cmd {
	if config != "" {
		args = append(args, "--config", config)
	}
	if c.environment != "" {
		args = append(args, "--env", c.environment)
	}
	if c.temporary && args[0] != "whoami" && !slices.Contains(args, "--dry-run") {
		args = append(args, "--temporary")
	}
	cmd := exec.CommandContext(ctx, c.wrangler, args...)
	cmd.Env = c.env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = grace
	return cmd
}

// ask runs wrangler with stdin as its input. It returns wrangler's stdout, and in said stdout and
// stderr together.
func (c *cloudflare) ask(ctx context.Context, stdin, config string, args ...string) (stdout, said string,
	err error) {
	cmd := c.command(ctx, config, args...)
	var out, all bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), io.MultiWriter(&out, &all), &all
	err = cmd.Run()
	return out.String(), all.String(), c.why(ctx, err)
}

// why returns the error of a run, in words for the user.
func (c *cloudflare) why(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("wrangler is not installed; run `npm install` in the folder of wrangler.toml, " +
			"whose package.json asks for it, or in a clone ./build.sh deploy")
	}
	return err
}

// failed returns the error of a step, with the output of wrangler.
func failed(step, said string, err error) error {
	if errors.Is(err, errInterrupted) {
		return err
	}
	return fmt.Errorf("%s failed (%w); wrangler says:\n%s", step, err, strings.TrimSpace(said))
}

var errLoggedOut = errors.New("nobody is logged in to Cloudflare")

const howToLogIn = "%w. Run `%s login`, which opens a browser; " +
	"where there is none, set CLOUDFLARE_API_TOKEN to a token of the template \"Edit Cloudflare Workers\" " +
	"(https://dash.cloudflare.com/profile/api-tokens). " +
	"Then run this again"

// logIn returns the user or account that is logged in. A user with several accounts is an error,
// unless wrangler.toml names one.
func (c *cloudflare) logIn(ctx context.Context, config *config) (who string, err error) {
	stdout, said, err := c.ask(ctx, "", "", "whoami", "--json")
	var user struct {
		LoggedIn *bool
		Email    string
		Accounts []struct{ Name, ID string }
	}
	if json.Unmarshal(jsonIn(stdout), &user); user.LoggedIn != nil && !*user.LoggedIn {
		return "", fmt.Errorf(howToLogIn, errLoggedOut, config.wrangler())
	}
	if err != nil {
		return "", failed("asking who is logged in", said, err)
	}
	if user.LoggedIn == nil {
		return "", failed("asking who is logged in", said, errors.New("the answer can't be read"))
	}
	chosen := config.account()
	for _, assignment := range c.env {
		if id, ok := strings.CutPrefix(assignment, "CLOUDFLARE_ACCOUNT_ID="); ok && chosen == "" {
			chosen = id
		}
	}
	if chosen == "" && len(user.Accounts) > 1 {
		list := ""
		for _, a := range user.Accounts {
			list += fmt.Sprintf("\n  %s  %s", a.ID, a.Name)
		}
		return "", fmt.Errorf("there are %d accounts to deploy to; name one with account_id in %s, or "+
			"with CLOUDFLARE_ACCOUNT_ID:%s", len(user.Accounts), config.path, list)
	}
	for _, a := range user.Accounts {
		if chosen == "" || a.ID == chosen {
			return a.Name, nil
		}
	}
	return user.Email, nil
}

// jsonIn returns the JSON value in the output of wrangler. Words may come before the value.
func jsonIn(text string) []byte {
	if at := strings.IndexAny(text, "{["); at >= 0 {
		return []byte(text[at:])
	}
	return nil
}

// secrets returns the names of the worker's secrets, and whether the worker exists.
func (c *cloudflare) secrets(ctx context.Context, config string) (names []string, exists bool, err error) {
	stdout, said, err := c.ask(ctx, "", config, "secret", "list")
	if err != nil && strings.Contains(said, "Worker \"") && strings.Contains(said, "not found.") {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, failed("asking for the worker's secrets", said, err)
	}
	var list []struct{ Name string }
	if err := json.Unmarshal(jsonIn(stdout), &list); err != nil {
		return nil, false, failed("asking for the worker's secrets", said, err)
	}
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names, true, nil
}

// namespace returns the id of the KV namespace called name, "" if there is none.
func (c *cloudflare) namespace(ctx context.Context, config, name string) (string, error) {
	stdout, said, err := c.ask(ctx, "", config, "kv", "namespace", "list")
	if err != nil {
		return "", failed("asking for the KV namespaces", said, err)
	}
	var list []struct{ ID, Title string }
	if err := json.Unmarshal(jsonIn(stdout), &list); err != nil {
		return "", failed("asking for the KV namespaces", said, err)
	}
	for _, n := range list {
		if n.Title == name {
			return n.ID, nil
		}
	}
	return "", nil
}

// putSecrets sets secrets of a worker, through wrangler's stdin.
func (c *cloudflare) putSecrets(ctx context.Context, config string, secrets map[string]string) error {
	text, err := json.Marshal(secrets)
	if err != nil {
		return err
	}
	_, said, err := c.ask(ctx, string(text), config, "secret", "bulk")
	for _, s := range secrets {
		said = strings.ReplaceAll(said, s, "…")
	}
	if err != nil {
		return failed("setting the secrets", said, err)
	}
	return nil
}

// deploy runs wrangler deploy, connected to the person's terminal, and returns the addresses in
// wrangler's report. With secrets, wrangler sets them in the same step: its stdin is the secrets
// then, not the person's input.
func (c *cloudflare) deploy(ctx context.Context, config string, secrets map[string]string,
	dryRun bool) (targets []string, err error) {
	folder, err := os.MkdirTemp("", "edgelingua-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	report := filepath.Join(folder, "report")
	args := []string{"deploy"}
	if dryRun {
		args = append(args, "--dry-run")
	}
	if len(secrets) > 0 {
		args = append(args, "--secrets-file", "/dev/stdin")
	}
	cmd := c.command(ctx, config, args...)
	cmd.Env = append(slices.Clone(cmd.Env), "WRANGLER_OUTPUT_FILE_PATH="+report)
	if dryRun {
		cmd.Env = append(cmd.Env, "WRANGLER_SEND_METRICS=false", "CLOUDFLARE_CF_FETCH_ENABLED=false",
			"WRANGLER_HIDE_BANNER=true")
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.stdin, c.out, c.err
	if len(secrets) > 0 {
		text, err := json.Marshal(secrets)
		if err != nil {
			return nil, err
		}
		cmd.Stdin = bytes.NewReader(text)
	}
	if err := c.why(ctx, cmd.Run()); errors.Is(err, errInterrupted) {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("wrangler deploy failed (%w); above it says why", err)
	}
	return readReport(report)
}

// readReport returns the addresses in wrangler's output for programs (WRANGLER_OUTPUT_FILE_PATH),
// one JSON object a line.
func readReport(path string) (targets []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var entry struct {
			Type    string
			Targets []string
		}
		if json.Unmarshal(line, &entry); entry.Type == "deploy" {
			targets = entry.Targets
		}
	}
	return targets, nil
}

// addressOf returns the first of wrangler's targets with a host of the worker: a workers.dev
// address or a custom domain. A route has none.
func addressOf(targets []string) string {
	for _, t := range targets {
		host, _, custom := strings.Cut(t, " (custom domain")
		switch {
		case strings.HasPrefix(t, "https://") || strings.HasPrefix(t, "http://"):
			return strings.TrimSuffix(t, "/")
		case custom:
			return "https://" + host
		}
	}
	return ""
}
