package deploy

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// If nobody is logged in, wrangler 4.156 can make a temporary account (its flag --temporary, hidden
// in its help text). It prints a claim URL: a person with the URL can take over the account.

// A person accepts these documents with a temporary account.
const (
	termsOfService = "https://www.cloudflare.com/terms/"
	privacyPolicy  = "https://www.cloudflare.com/privacypolicy/"
)

// secretsByStdin reports whether wrangler deploy can read secrets from its stdin. Windows has no
// path for stdin, so there `wrangler secret bulk --temporary` sets them after the deployment.
const secretsByStdin = runtime.GOOS != "windows"

// checkTemporary returns the reason to refuse --temporary, nil without the flag.
func (d *deployment) checkTemporary() error {
	switch {
	case !d.Temporary:
		return nil
	case d.personal:
		return errors.New(
			"--temporary deploys the worker for yourself only: personal endpoints store keys of " +
				"others, and the account is deleted. Leave --personal out, or log in with an account",
		)
	case d.Terminal == nil && !d.DryRun:
		return errors.New(
			"--temporary needs a terminal: it shows a claim URL and a key, and in a log others " +
				"could read them",
		)
	}
	return nil
}

// acceptTemporary asks the person to accept Cloudflare's terms. account and loggedOut are the
// results of logIn: a temporary account is only for a person who is logged out.
func (d *deployment) acceptTemporary(ctx context.Context, account string, loggedOut error) error {
	switch {
	case loggedOut == nil:
		return fmt.Errorf("%s is logged in to Cloudflare, and --temporary is for people without an account. "+
			"Leave it out, or run `%s logout` first, and unset CLOUDFLARE_API_TOKEN", account,
			d.config.wrangler())
	case !errors.Is(loggedOut, errLoggedOut):
		return loggedOut
	}
	d.tell("a temporary one: the worker gets a public address for about an hour, without a login")
	answer, err := d.Terminal.Ask(ctx, fmt.Sprintf("Do you accept Cloudflare's Terms of Service (%s) and "+
		"Privacy Policy (%s)? Type yes: ", termsOfService, privacyPolicy))
	if err != nil {
		return err
	}
	if !strings.EqualFold(answer, "yes") {
		return errors.New("without Cloudflare's terms there is no temporary account; nothing was deployed")
	}
	return nil
}

// deployTemporary deploys the code and the secrets in one run of wrangler.
func (d *deployment) deployTemporary(ctx context.Context) (targets []string, err error) {
	values, _, err := d.missingSecrets(ctx)
	if err != nil {
		return nil, err
	}
	d.say(
		"wrangler deploy --temporary, with %s. It prints a claim URL: keep that secret, since whoever opens "+
			"it owns the account, with the worker and its keys",
		listed(names(values)),
	)
	targets, err = d.cloudflare.deploy(ctx, d.file, values, false)
	if err == nil {
		d.secrets.took(values, true)
	}
	return targets, err
}
