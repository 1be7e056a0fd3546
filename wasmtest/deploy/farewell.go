package deploy

import (
	"fmt"
	"io"
	"slices"
)

// farewell prints the keys for a person to keep, and the next steps.
func (d *deployment) farewell() {
	out := io.Writer(d.Stdout)
	if d.Terminal != nil {
		out = d.Terminal.Out
	}
	say := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	if shown := d.shown(); len(shown) > 0 {
		say("\nKeep these. They are shown this once, and nobody can read them again:\n")
		if d.secrets.doubtful {
			say("  (It is not known whether they were set. The next run says what is there.)\n")
		}
		for _, line := range shown {
			say("  %s", line)
		}
	}
	if slices.Contains(d.secrets.set, sealKey) {
		say("\nSEAL_KEY lies at Cloudflare alone. If it is ever lost or replaced, the keys of the " +
			"endpoints' upstreams have to be given again.")
	}
	if d.url == "" {
		return
	}
	if d.secrets.has(adminKey) || slices.Contains(d.secrets.set, adminKey) {
		say("\nEndpoints are made and changed with ADMIN_KEY at %s/admin", d.url)
	}
	if d.Temporary {
		say(
			"\nThe account and the worker are deleted after the time that wrangler names above, unless you " +
				"open the claim URL and log in or sign up there. Keep that URL secret.",
		)
	}
	say("\nClaude Code:\n\n  %s claude\n", d.claude())
}

// shown returns the lines with the keys made by this run; none without a terminal.
func (d *deployment) shown() (lines []string) {
	if d.Terminal == nil {
		return nil
	}
	for _, name := range secretNames {
		if d.secrets.made[name] && slices.Contains(d.secrets.set, name) {
			lines = append(lines, name+"  "+d.secrets.known[name])
		}
	}
	if d.key != "" {
		lines = append(lines, "the key of "+d.endpoint+"  "+d.key)
	}
	return lines
}

// claude returns the environment variables for Claude Code. The key is a token, since Claude Code
// asks its user to approve an API key (ANTHROPIC_API_KEY), but not a token. If the client's key is
// Anthropic's own, it is an API key: Anthropic refuses it as a token.
func (d *deployment) claude() string {
	url, key := d.url, "<your CLIENT_KEY>"
	switch {
	case d.endpoint != "":
		url += "/u/" + d.endpoint
		key = d.key
	case d.Terminal != nil && d.secrets.made[clientKey]:
		key = d.secrets.known[clientKey]
	}
	variable := "ANTHROPIC_AUTH_TOKEN"
	if d.forward() {
		variable, key = "ANTHROPIC_API_KEY", "<your key at the upstream>"
	}
	return "ANTHROPIC_BASE_URL=" + url + " " + variable + "=" + key
}
