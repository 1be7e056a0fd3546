package deploy

import (
	"fmt"
	"io"
	"slices"
)

// farewell shows what a person must keep, and what to do with it.
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
		say("\nSEAL_KEY lies at Cloudflare alone. If it is ever lost or replaced, the keys of the endpoints' upstreams have to be given again.")
	}
	if d.url == "" {
		return
	}
	if d.secrets.has(adminKey) || slices.Contains(d.secrets.set, adminKey) {
		say("\nEndpoints are made and changed with ADMIN_KEY at %s/admin", d.url)
	}
	say("\nClaude Code:\n\n  %s claude\n", d.claude())
}

// shown are the keys that were made, for a person alone.
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

// claude is the environment of Claude Code, which asks its user to approve an API key, but not a token. Anthropic takes no key of its
// own as a token.
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
