package deploy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"edgelingua/wasmtest/smoke"
)

// Options say what to deploy, and with whom to talk.
type Options struct {
	Config      string // the user's wrangler.toml
	Environment string // one of its environments, or ""
	Personal    bool   // with personal endpoints, also where the worker has none yet
	Model       string // for the live smoke; "": a person is asked
	Yes         bool   // tokens may be spent
	DryRun      bool   // nothing leaves this machine

	Wrangler string    // the executable
	Stdin    io.Reader // for what wrangler asks
	Stdout   io.Writer
	Stderr   io.Writer
	Terminal *Terminal // nil: nobody answers, and what is printed ends up in a log
	Env      []string  // the environment of this process

	Style smoke.Style // of the smoke's report
}

// deployment is a run of Run.
type deployment struct {
	*Options
	config     *config
	cloudflare *cloudflare
	secrets    *secrets
	personal   bool
	file       string // what wrangler is to go by

	url      string
	endpoint string // the name of the endpoint that was made
	key      string // and its key

	// Tests have a clock and a network of their own.
	pause func(ctx context.Context, d time.Duration) error
	reach func(url string) string
}

// Run deploys. What a person must keep is shown at the end, however that comes.
func Run(ctx context.Context, o *Options) error {
	d, err := newDeployment(o)
	if err != nil {
		return err
	}
	if o.DryRun {
		return d.dryRun(ctx)
	}
	return d.run(ctx)
}

func newDeployment(o *Options) (*deployment, error) {
	c, err := readConfig(o.Config, o.Environment)
	if err != nil {
		return nil, err
	}
	d := &deployment{Options: o, config: c, file: o.Config, pause: pause, reach: func(url string) string { return url }}
	d.secrets = &secrets{known: map[string]string{}, made: map[string]bool{}}
	var env []string
	for _, assignment := range o.Env {
		if name, value, _ := strings.Cut(assignment, "="); !slices.Contains(secretNames, name) {
			env = append(env, assignment)
		} else if value != "" {
			d.secrets.known[name] = value
		}
	}
	if err := checkGiven(d.secrets.known); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	d.cloudflare = &cloudflare{wrangler: o.Wrangler, environment: o.Environment, env: env, stdin: o.Stdin, out: o.Stdout, err: o.Stderr}
	d.personal = o.Personal || c.bindsKV()
	return d, nil
}

func (d *deployment) say(format string, args ...any) {
	fmt.Fprintf(d.Stdout, "==> "+format+"\n", args...)
}
func (d *deployment) tell(format string, args ...any) {
	fmt.Fprintf(d.Stdout, "    "+format+"\n", args...)
}

func (d *deployment) forward() bool { return d.config.vars["AUTH"] == "forward" }

func (d *deployment) run(ctx context.Context) (err error) {
	d.say("account")
	account, err := d.cloudflare.logIn(ctx, d.config)
	if err != nil {
		return err
	}
	d.tell("%s", account)
	if err := d.look(ctx); err != nil {
		return err
	}
	d.say("wrangler deploy")
	targets, err := d.cloudflare.deploy(ctx, d.file, false)
	if err != nil {
		return err
	}
	defer d.farewell()
	if err := d.setSecrets(ctx); err != nil {
		return err
	}
	if d.url = addressOf(targets); d.url == "" {
		d.say("the worker has no address of its own: wrangler names %q. Nothing more can be checked from here", targets)
		return nil
	}
	if err := d.wait(ctx); err != nil {
		return err
	}
	if err := d.firstEndpoint(ctx); err != nil {
		return err
	}
	return d.smoke(ctx)
}

// look finds out what is deployed, and what wrangler is to go by.
func (d *deployment) look(ctx context.Context) (err error) {
	d.say("what is deployed")
	var exists bool
	if d.secrets.there, exists, err = d.cloudflare.secrets(ctx, d.file); err != nil {
		return err
	}
	d.personal = d.personal || d.secrets.personal()
	kind := "for you alone"
	if d.personal {
		kind = "with personal endpoints"
	}
	switch {
	case !exists:
		d.tell("nothing yet: %s will be new, %s", d.config.worker, kind)
	default:
		d.tell("%s is there, and gets new code, %s; its secrets stay as they are: %s", d.config.worker, kind, listed(d.secrets.there))
	}
	if !d.personal {
		return nil
	}
	namespace := ""
	if !d.secrets.personal() && !d.config.bindsKV() {
		// An earlier run may have come no further than this. A worker that is whole inherits its namespace.
		if namespace, err = d.cloudflare.namespace(ctx, d.file, d.config.namespace()); err != nil {
			return err
		}
	}
	d.file, _, err = d.config.write(namespace)
	return err
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(slices.Values(names)), ", ")
}

// setSecrets sets what is missing.
func (d *deployment) setSecrets(ctx context.Context) error {
	values, left, err := d.secrets.missing(ctx, d.forward(), d.personal, d.Terminal)
	if err != nil {
		return err
	}
	if len(values) > 0 {
		d.say("wrangler secret bulk: %s", listed(names(values)))
		err := d.cloudflare.putSecrets(ctx, d.file, values)
		d.secrets.took(values, err == nil)
		if err != nil {
			return err
		}
	}
	for _, name := range left {
		why := "nobody can be asked or shown a key here"
		if name == upstreamKey {
			why = "leave it out where the upstream needs none"
		}
		d.say("%s is not set. ./build.sh secret put %s%s sets it (%s); or have it in the environment of this command", name, name, d.environmentFlag(), why)
	}
	return nil
}

func (d *deployment) environmentFlag() string {
	if d.Environment == "" {
		return ""
	}
	return " --env " + quote(d.Environment)
}

func names(values map[string]string) (list []string) {
	for name := range values {
		list = append(list, name)
	}
	return list
}

// How long a new address or a new secret may take to be known everywhere.
const (
	firstPause = time.Second
	longPause  = 10 * time.Second
	tries      = 33 // five minutes, and what the requests take
)

// wait waits until the worker answers, and takes the keys that are known.
func (d *deployment) wait(ctx context.Context) error {
	d.say("waiting for %s", d.url)
	return d.again(ctx, tries, func(first bool) error {
		target := smoke.Target{URL: d.reach(d.url), Key: d.secrets.known[clientKey]}
		if d.forward() || target.Key == "" || d.secrets.has(clientKey) {
			return smoke.Greet(ctx, target)
		}
		err := smoke.Reach(ctx, target)
		if err != nil && first {
			d.tell("not yet: a new address takes up to some minutes")
		}
		return err
	})
}

// again repeats what fails, and waits longer each time.
func (d *deployment) again(ctx context.Context, tries int, do func(first bool) error) error {
	for i, delay := 0, firstPause; ; i, delay = i+1, min(2*delay, longPause) {
		err := do(i == 0)
		switch {
		case ctx.Err() != nil:
			return errInterrupted
		case err == nil || i+1 == tries:
			return err
		}
		if err := d.pause(ctx, delay); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return errInterrupted
	}
}

// firstEndpoint makes an endpoint where there is none.
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
			d.tell("SEAL_KEY is new: the keys of their upstreams are sealed with another one, and have to be given again")
		}
		return nil
	}
	if d.Terminal == nil {
		d.tell("there is none yet; README.md says how one is made")
		return nil
	}
	return d.makeEndpoint(ctx, api)
}

// names that may be tried, each refused one with its reason.
const nameTries = 3

func (d *deployment) makeEndpoint(ctx context.Context, api *administration) error {
	upstream, err := d.upstreamKey(ctx)
	if err != nil {
		return err
	}
	for i := 1; ; i++ {
		name, err := d.Terminal.Ask(ctx, fmt.Sprintf("Name of your endpoint, which is part of its address [%s]: ", goodName(loginName())))
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
	return fmt.Errorf("the worker is deployed, but its Admin API refuses: %s. README.md says how an endpoint is made by hand", hide(err.Error(), d.secrets.known[upstreamKey]))
}

// hide takes a secret out of a text.
func hide(text, secret string) string {
	if secret == "" {
		return text
	}
	return strings.ReplaceAll(text, secret, "…")
}

// upstreamKey is the key for the endpoint's upstream. The worker's own can't be read.
func (d *deployment) upstreamKey(ctx context.Context) (string, error) {
	key, known := d.secrets.known[upstreamKey]
	if known || d.forward() || !d.secrets.has(upstreamKey) {
		return key, nil
	}
	key, err := d.Terminal.AskHidden(ctx, "The key at the upstream for your endpoint (hidden; empty where it needs none): ")
	d.secrets.known[upstreamKey] = key
	return key, err
}

// smokeTries is how often the live smoke runs while a new version spreads.
const smokeTries = 2

// smoke runs the live smoke, where it is known what to ask.
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
		d.say("%s is not checked: CLIENT_KEY is not known here. It can be had in the environment: CLIENT_KEY=... ./build.sh deploy --model %s", d.url, quote(model))
		return nil
	}
	return d.check(ctx, key, model)
}

func (d *deployment) check(ctx context.Context, key, model string) error {
	if !d.Yes {
		if d.Terminal == nil {
			d.say("%s is not checked: there is nobody to ask whether tokens may be spent; say so with --yes", d.url)
			return nil
		}
		answer, err := d.Terminal.Ask(ctx, fmt.Sprintf("This makes %d requests of at most %d output tokens each to %s, and as many again where the new version is slow to spread. Go on? [y/N] ",
			smoke.LiveRequests, smoke.MaxTokens, model))
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

// claude is the environment of Claude Code.
func (d *deployment) claude() string {
	url, key := d.url, "<your CLIENT_KEY>"
	switch {
	case d.endpoint != "":
		url += "/u/" + d.endpoint
		key = d.key
	case d.Terminal != nil && d.secrets.made[clientKey]:
		key = d.secrets.known[clientKey]
	}
	if d.forward() {
		key = "<your key at the upstream>"
	}
	return "ANTHROPIC_BASE_URL=" + url + " ANTHROPIC_API_KEY=" + key
}

// dryRun shows the steps, and has wrangler bundle the worker.
func (d *deployment) dryRun(ctx context.Context) error {
	d.say("would ask wrangler whoami who is logged in")
	d.say("would ask wrangler secret list what is deployed as %s; ADMIN_KEY or SEAL_KEY there mean personal endpoints", d.config.worker)
	needed := []string{clientKey, upstreamKey}
	if d.forward() {
		needed = nil
	}
	if d.personal {
		needed = append(needed, adminKey, sealKey)
		var text string
		var err error
		if d.file, text, err = d.config.write(""); err != nil {
			return err
		}
		d.say("would use the KV namespace %s, which is made where there is none", d.config.namespace())
		d.say("%s, made from %s:", d.file, d.config.path)
		fmt.Fprintln(d.Stdout, text)
	}
	d.say("wrangler deploy --dry-run --config %s", d.file)
	if _, err := d.cloudflare.deploy(ctx, d.file, true); err != nil {
		return err
	}
	d.say("would set what is missing of these secrets: %s", listed(needed))
	d.say("would wait until the worker answers")
	if d.personal {
		d.say("would make a first personal endpoint, where there is none")
	}
	if d.Model != "" {
		d.say("would check the worker with %s", d.Model)
	}
	return nil
}
