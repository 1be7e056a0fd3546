package deploy

import (
	"context"
	"os"
	"strings"
)

// The upstream in an unchanged wrangler.toml, and the replacement for Cloudflare's own models:
// clients send the model names of their vendors, and MODELS maps these to a model of Cloudflare's.
const (
	firstUpstream   = "UPSTREAM_PROTOCOL = \"responses\"\nUPSTREAM_URL = \"https://api.openai.com/v1\"\n"
	cloudflareModel = "@cf/moonshotai/kimi-k2.6"
	ownUpstream     = "UPSTREAM_PROTOCOL = \"chat\"\nUPSTREAM_URL = \"cloudflare:ai\"\n" +
		"MODELS = '{\"claude-*\":\"" + cloudflareModel + "\",\"gpt-*\":\"" + cloudflareModel + "\"}'\n"
)

// offerCloudflare asks the person whether to use Cloudflare's own models, if no key for the
// upstream is known and wrangler.toml still has its first upstream. On yes it writes them into
// wrangler.toml.
func (d *deployment) offerCloudflare(ctx context.Context) error {
	if d.Terminal == nil || d.Temporary || d.forward() || d.secrets.has(upstreamKey) ||
		d.secrets.known[upstreamKey] != "" || strings.Count(d.config.text, firstUpstream) != 1 ||
		d.config.vars["UPSTREAM_URL"] != "https://api.openai.com/v1" {
		return nil
	}
	answer, err := d.Terminal.Ask(ctx,
		"No UPSTREAM_KEY is given. Ask Cloudflare's own models, which need no key and are billed to "+
			"this account ("+cloudflareModel+")? [Y/n] ")
	if err != nil {
		return err
	}
	if answer = strings.ToLower(answer); answer != "" && answer != "y" && answer != "yes" {
		return nil
	}
	if err := os.WriteFile(d.config.path, []byte(strings.Replace(d.config.text, firstUpstream, ownUpstream,
		1)), 0o644); err != nil {
		return err
	}
	d.tell("%s names them now: UPSTREAM_URL and MODELS", d.config.path)
	d.config, err = readConfig(d.config.path, d.Environment)
	return err
}
