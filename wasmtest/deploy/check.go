package deploy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"edgelingua/wasmtest/conform"
	"edgelingua/wasmtest/smoke"
)

// smokeTries is how often the live smoke is run while Cloudflare spreads a new version.
const smokeTries = 2

// smoke runs the live smoke, if the model and the client's key are known.
func (d *deployment) smoke(ctx context.Context) error {
	key, model := d.secrets.known[clientKey], d.Model
	if d.forward() {
		key = ""
	}
	if model == "" && d.Terminal != nil && key != "" {
		var err error
		if model, err = d.Terminal.Ask(ctx, "A model to check all of this with (empty: none): "); err != nil {
			return err
		}
	}
	switch {
	case model == "":
		return nil
	case key == "":
		d.say("%s is not checked: CLIENT_KEY is not known here. Run this again with it in the "+
			"environment, by that name, and with --model %s", d.url, quote(model))
		return nil
	}
	return d.check(ctx, key, model)
}

func (d *deployment) check(ctx context.Context, key, model string) error {
	if !d.Yes {
		if d.Terminal == nil {
			d.say("%s is not checked: there is nobody to ask whether tokens may be spent; say so with --yes",
				d.url)
			return nil
		}
		answer, err := d.Terminal.Ask(ctx,
			fmt.Sprintf("This makes %d requests of at most %d output tokens each to %s, and as many again "+
				"where the new version is slow to spread. Go on? [y/N] ",
				smoke.LiveRequests, conform.MaxTokens, model))
		if answer = strings.ToLower(answer); err != nil || answer != "y" && answer != "yes" {
			return err
		}
	}
	d.say("checking %s", d.url)
	var report *smoke.Report
	err := d.again(ctx, smokeTries, func(bool) error {
		if report = smoke.Live(ctx, smoke.Target{URL: d.reach(d.url), Key: key}, model, nil); !report.OK {
			return errors.New("the worker is deployed, but not all is well; the table says what")
		}
		return nil
	})
	if !errors.Is(err, errInterrupted) {
		report.Write(d.Stdout, d.Style)
	}
	return err
}
