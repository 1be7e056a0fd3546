package deploy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"edgelingua/wasmtest/smoke"
	"edgelingua/worker/endpoint"
)

// Options are the settings of a deployment and the person's terminal.
type Options struct {
	Config      string // the user's wrangler.toml or wrangler.jsonc; "": the one in the current folder
	Environment string // one of the environments in Config; "" for none
	Personal    bool   // deploy with personal endpoints, even if the worker has none yet
	Model       string // the model for the live smoke; "": ask the person
	Yes         bool   // the live smoke may spend tokens, without a question
	DryRun      bool   // nothing leaves this machine
	Temporary   bool   // deploy to a temporary account, without a login

	Wrangler string    // the path of the executable; "": installed beside Config, or on PATH
	Stdin    io.Reader // the person's input, for questions of wrangler
	Stdout   io.Writer
	Stderr   io.Writer
	Terminal *Terminal // nil: no person can answer, and the output ends up in a log
	Env      []string  // the environment of this process, as NAME=VALUE

	Style smoke.Style // of the smoke's report
}

// deployment is one run of Run.
type deployment struct {
	*Options
	config     *config
	cloudflare *cloudflare
	secrets    *secrets
	personal   bool
	file       string // the config file for wrangler

	url      string
	endpoint string // the name of the endpoint made by this run
	key      string // that endpoint's key

	// Tests replace the clock and the network.
	pause func(ctx context.Context, d time.Duration) error
	reach func(url string) string
}

// Run deploys. Keys for a person to keep are shown at the end, even if a step fails.
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
	o.Config = configOr(o.Config)
	c, err := readConfig(o.Config, o.Environment)
	if err != nil {
		return nil, err
	}
	d := &deployment{Options: o, config: c, file: o.Config, pause: pause,
		reach: func(url string) string { return url }}
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
	if o.Wrangler == "" {
		o.Wrangler = find(o.Config)
	}
	d.cloudflare = &cloudflare{wrangler: o.Wrangler, environment: o.Environment, env: env, stdin: o.Stdin,
		out: o.Stdout, err: o.Stderr, temporary: o.Temporary}
	d.personal = o.Personal || c.bindsKV()
	return d, d.checkTemporary()
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
	switch {
	case d.Temporary:
		if err := d.acceptTemporary(ctx, account, err); err != nil {
			return err
		}
	case errors.Is(err, errLoggedOut) && !d.personal:
		return fmt.Errorf("%w. Or try it without an account: run this again with --temporary", err)
	case err != nil:
		return err
	default:
		d.tell("%s", account)
	}
	if err := d.look(ctx); err != nil {
		return err
	}
	var targets []string
	if d.Temporary && secretsByStdin {
		targets, err = d.deployTemporary(ctx)
	} else {
		d.say("wrangler deploy")
		targets, err = d.cloudflare.deploy(ctx, d.file, nil, false)
	}
	if err != nil {
		return err
	}
	defer d.farewell()
	if !d.Temporary || !secretsByStdin { // else they are deployed along with the code
		if err := d.setSecrets(ctx); err != nil {
			return err
		}
	}
	if d.url = addressOf(targets); d.url == "" {
		d.say("the worker has no address of its own: wrangler names %q. Nothing more can be "+
			"checked from here", targets)
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

// look finds out what is deployed already, and chooses the config file for wrangler.
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
		d.tell("%s is there, and gets new code, %s; its secrets stay as they are: %s", d.config.worker, kind,
			listed(d.secrets.there))
	}
	if err := d.offerCloudflare(ctx); err != nil {
		return err
	}
	if !d.personal && !d.config.lacksAI() {
		return nil
	}
	namespace := ""
	if d.personal && !d.secrets.personal() && !d.config.bindsKV() {
		// An earlier run may have made the namespace and stopped before the secrets. A worker with
		// secrets is already bound to its namespace.
		if namespace, err = d.cloudflare.namespace(ctx, d.file, d.config.namespace()); err != nil {
			return err
		}
	}
	d.file, _, err = d.config.write(d.personal, namespace)
	return err
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(slices.Values(names)), ", ")
}

// missingSecrets returns the secrets that the worker lacks, see secrets.missing.
func (d *deployment) missingSecrets(
	ctx context.Context,
) (values map[string]string, left []string, err error) {
	d.secrets.keyless = d.config.vars["UPSTREAM_URL"] == endpoint.CloudflareAI
	return d.secrets.missing(ctx, d.forward(), d.personal, d.Terminal)
}

// setSecrets sets the secrets that the worker lacks.
func (d *deployment) setSecrets(ctx context.Context) error {
	values, left, err := d.missingSecrets(ctx)
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
		d.say("%s is not set. %s secret put %s%s sets it (%s); or have it in the environment of "+
			"this command", name, d.config.wrangler(), name, d.environmentFlag(), why)
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

// dryRun prints the steps and runs wrangler to bundle the worker, without deploying.
func (d *deployment) dryRun(ctx context.Context) error {
	d.say("would ask wrangler whoami who is logged in")
	if d.Temporary {
		d.say("would make a temporary account, if nobody is logged in and you accept Cloudflare's terms")
	}
	d.say("would ask wrangler secret list what is deployed as %s; ADMIN_KEY or SEAL_KEY there mean "+
		"personal endpoints", d.config.worker)
	needed := []string{clientKey, upstreamKey}
	if d.config.vars["UPSTREAM_URL"] == endpoint.CloudflareAI {
		needed = []string{clientKey}
	}
	if d.forward() {
		needed = nil
	}
	if d.personal {
		needed = append(needed, adminKey, sealKey)
		d.say("would use the KV namespace %s, which is made where there is none", d.config.namespace())
	}
	if d.personal || d.config.lacksAI() {
		var text string
		var err error
		if d.file, text, err = d.config.write(d.personal, ""); err != nil {
			return err
		}
		d.say("%s, made from %s:", d.file, d.config.path)
		fmt.Fprintln(d.Stdout, text)
	}
	d.say("wrangler deploy --dry-run --config %s", d.file)
	if _, err := d.cloudflare.deploy(ctx, d.file, nil, true); err != nil {
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
