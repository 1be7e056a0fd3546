package deploy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// firstEndpoint creates an endpoint if there is none.
func (d *deployment) firstEndpoint(ctx context.Context) error {
	if !d.personal {
		return nil
	}
	d.say("personal endpoints")
	key := d.secrets.known[adminKey]
	if key == "" {
		d.tell("nothing is changed, since ADMIN_KEY is not known here")
		return nil
	}
	api := &administration{client: &http.Client{}, url: d.reach(d.url), key: key}
	var there int
	err := d.again(ctx, tries, func(bool) (err error) {
		there, err = api.count(ctx)
		return err
	})
	if err != nil {
		return d.adminFailed(err)
	}
	if there > 0 {
		d.tell("there are some already: %d", there)
		if slices.Contains(d.secrets.set, sealKey) {
			d.tell("SEAL_KEY is new: the keys of their upstreams are sealed with another one, and have to " +
				"be given again")
		}
		return nil
	}
	if d.Terminal == nil {
		d.tell("there is none yet; docs/endpoints.md says how one is made")
		return nil
	}
	return d.makeEndpoint(ctx, api)
}

// nameTries is the number of names that a person may try. The reason follows each refused name.
const nameTries = 3

func (d *deployment) makeEndpoint(ctx context.Context, api *administration) error {
	upstream, err := d.upstreamKey(ctx)
	if err != nil {
		return err
	}
	for i := 1; ; i++ {
		name, err := d.Terminal.Ask(ctx,
			fmt.Sprintf("Name of your endpoint, which is part of its address [%s]: ", goodName(loginName())))
		if err != nil {
			return err
		}
		if name == "" {
			name = goodName(loginName())
		}
		endpoint, err := endpointOf(name, d.config.vars, upstream)
		if err != nil {
			return err
		}
		d.key, err = api.make(ctx, endpoint)
		if err == nil {
			d.endpoint = name
			d.tell("%s/u/%s", d.url, name)
			return nil
		}
		if !refused(err) || i == nameTries {
			return d.adminFailed(err)
		}
		d.tell("%s", hide(err.Error(), upstream))
	}
}

func (d *deployment) adminFailed(err error) error {
	if errors.Is(err, errInterrupted) {
		return err
	}
	return fmt.Errorf("the worker is deployed, but its Admin API refuses: %s. docs/endpoints.md says how "+
		"an endpoint is made by hand", hide(err.Error(), d.secrets.known[upstreamKey]))
}

// hide replaces a secret in a text.
func hide(text, secret string) string {
	if secret == "" {
		return text
	}
	return strings.ReplaceAll(text, secret, "…")
}

// upstreamKey returns the key for the endpoint's upstream, given or asked for: the worker's own
// UPSTREAM_KEY can't be read back.
func (d *deployment) upstreamKey(ctx context.Context) (string, error) {
	key, known := d.secrets.known[upstreamKey]
	if known || d.forward() || !d.secrets.has(upstreamKey) {
		return key, nil
	}
	key, err := d.Terminal.AskHidden(ctx,
		"The key at the upstream for your endpoint (hidden; empty where it needs none): ")
	d.secrets.known[upstreamKey] = key
	return key, err
}
