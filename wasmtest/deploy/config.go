package deploy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"edgelingua/wasmtest/wrangler"
	"edgelingua/worker/endpoint"
)

// Generated is the name of the file made from wrangler.toml for personal endpoints and for
// Cloudflare's own models; GeneratedJSON is made from wrangler.json or wrangler.jsonc. The
// generated file is beside its source: wrangler resolves paths relative to the folder of its config
// file.
const (
	Generated     = "wrangler.personal.toml"
	GeneratedJSON = "wrangler.personal.jsonc"
)

const generatedHead = "Made by edgelingua deploy from %s, which is the one to change.\n"

// aiBinding is the binding for Cloudflare's own models. wrangler.toml itself does not have the
// binding, so `wrangler dev` works without an account: with the binding, wrangler asks the account
// for the models.
const aiBinding = "AI"

// The bindings for the storage of personal endpoints.
const (
	kvBinding     = "ENDPOINTS"
	objectBinding = "ENDPOINT_STATE"
	objectClass   = "EndpointState"
	migrationTag  = "v1"
)

// config is the user's wrangler.toml or wrangler.jsonc, seen from one of its environments.
type config struct {
	path, text  string
	environment string // "" for none
	worker      string // the worker's name at Cloudflare
	vars        map[string]string
	file        file
	own         table // the environment's table, or the top level without an environment
	inherits    bool  // own is an environment's table and inherits from the top level
}

// table has the members of wrangler.toml's top level, or of an environment, that deploy uses.
type table struct {
	Name      string         `toml:"name" json:"name"`
	Main      string         `toml:"main" json:"main"`
	Account   string         `toml:"account_id" json:"account_id"`
	KV        []kv           `toml:"kv_namespaces" json:"kv_namespaces"`
	Stateful  object         `toml:"durable_objects" json:"durable_objects"`
	AI        *struct{}      `toml:"ai" json:"ai"`
	Observed  *observability `toml:"observability" json:"observability"`
	Migration []struct {
		Made []string `toml:"new_sqlite_classes" json:"new_sqlite_classes"`
	} `toml:"migrations" json:"migrations"`
}

type kv struct {
	Binding string `toml:"binding" json:"binding"`
	ID      string `toml:"id" json:"id"`
}

type observability struct {
	Enabled bool `toml:"enabled" json:"enabled"`
	Logs    *struct {
		Enabled     bool  `toml:"enabled" json:"enabled"`
		Invocations *bool `toml:"invocation_logs" json:"invocation_logs"`
	} `toml:"logs" json:"logs"`
}

// invocations reports whether Cloudflare logs the URL of each request by default: the file enables
// logs and does not mention URLs.
func (o *observability) invocations() bool {
	// For `wrangler tail` and tail workers Cloudflare replaces likely keys by REDACTED, with false
	// negatives by its own documentation; for stored lines the documentation promises nothing.
	// Traces would contain the URL too (url.full), and are off unless a file turns them on.
	switch {
	case o == nil:
		return false
	case o.Logs == nil:
		return o.Enabled
	}
	return (o.Enabled || o.Logs.Enabled) && o.Logs.Invocations == nil
}

type object struct {
	Bindings []struct {
		Name string `toml:"name" json:"name"`
	} `toml:"bindings" json:"bindings"`
}

type file struct {
	table
	Env map[string]table `toml:"env" json:"env"`
}

// readConfig reads a config file of wrangler. Package wrangler reads the vars, and words their errors.
func readConfig(path, environment string) (*config, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s in this folder; begin with a copy of the folder template "+
			"of a release, or in a clone with `git checkout %s`", path, path)
	}
	if err != nil {
		return nil, err
	}
	c := &config{path: path, text: string(text), environment: environment}
	if c.vars, err = wrangler.Vars(path, environment); err != nil {
		return nil, err
	}
	parse := toml.Unmarshal
	if wrangler.IsJSON(path) {
		parse = func(text []byte, v any) error { return json.Unmarshal(wrangler.Plain(text), v) }
	}
	if err := parse(text, &c.file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c.own, c.worker = c.file.table, c.file.Name
	if own, ok := c.file.Env[environment]; ok {
		c.own, c.inherits = own, true
	}
	switch {
	case c.worker == "" && c.own.Name == "":
		if wrangler.IsJSON(path) {
			return nil, fmt.Errorf("%s has no name; write \"name\": \"edgelingua\" into it", path)
		}
		return nil, fmt.Errorf("%s has no name; write name = \"edgelingua\" on top of it", path)
	case c.inherits && c.own.Name != "":
		c.worker = c.own.Name
	case environment != "":
		c.worker += "-" + environment
	}
	return c, nil
}

// check returns, before anything is deployed, the error that the worker would answer because of
// vars, or that wrangler would report because the package of the worker is not installed.
func (c *config) check() error {
	get := func(name string) (string, bool) {
		if name == clientKey {
			return "any", true
		}
		value, ok := c.vars[name]
		return value, ok
	}
	err := endpoint.Authorize(get, "any")
	if err == nil {
		_, err = endpoint.Load(get)
	}
	if err != nil {
		return fmt.Errorf("%s: %s", c.path, err.Error())
	}
	for _, name := range secretNames {
		if _, ok := c.vars[name]; ok {
			return fmt.Errorf("%s: %s is a secret, and is in vars; take it out, and set it with %s "+
				"secret put %s", c.path, name, c.wrangler(), name)
		}
	}
	if c.vars["CLOUDFLARE_API_TOKEN"] != "" {
		return fmt.Errorf("%s: CLOUDFLARE_API_TOKEN is a secret, and is in vars; take it out: at "+
			"Cloudflare the binding AI needs none", c.path)
	}
	main := c.own.Main
	if main == "" {
		main = c.file.Main
	}
	if !strings.HasPrefix(main, "node_modules/") {
		return nil // a build may make it
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(c.path), main)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: its main is %s, which is not installed; run `npm install` in its folder",
			c.path, main)
	}
	return nil
}

// wrangler returns the command for a person to run wrangler in the folder of the file: in a clone
// build.sh.
func (c *config) wrangler() string {
	if _, err := os.Stat(filepath.Join(filepath.Dir(c.path), "build.sh")); err == nil {
		return "./build.sh"
	}
	return "npx wrangler"
}

// account returns the account's id in the file, "" for none.
func (c *config) account() string {
	if c.own.Account != "" {
		return c.own.Account
	}
	return c.file.Account
}

// namespace returns the name of the KV namespace that wrangler makes for the binding: the worker's
// name, a hyphen and the binding's.
func (c *config) namespace() string { return c.worker + "-endpoints" }

// bindsKV reports whether the file itself binds the KV namespace of personal endpoints;
// bindsObjects the same of the Durable Object.
func (c *config) bindsKV() bool {
	return slices.ContainsFunc(c.own.KV, func(n kv) bool { return n.Binding == kvBinding })
}

func (c *config) bindsObjects() bool {
	for _, b := range c.own.Stateful.Bindings {
		if b.Name == objectBinding {
			return true
		}
	}
	return false
}

// lacksAI reports whether the upstream is Cloudflare's own models and the file has no binding for
// them.
func (c *config) lacksAI() bool {
	return c.vars["UPSTREAM_URL"] == endpoint.CloudflareAI && c.own.AI == nil
}

// migrates reports whether the file has migrations, and whether one of these makes the class of the
// Durable Object. An environment without migrations inherits those of the top level.
func (c *config) migrates() (any, class bool) {
	list := c.own.Migration
	if len(list) == 0 {
		list = c.file.Migration
	}
	for _, m := range list {
		class = class || slices.Contains(m.Made, objectClass)
	}
	return len(list) > 0, class
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// inlineObserved finds a table observability in braces: TOML lets no later table add to it.
var inlineObserved = regexp.MustCompile(`(?m)^\s*observability\s*=`)

// generated returns the text of the file with the bindings that the worker needs: for Cloudflare's
// own models if the worker uses them, and, if personal, for personal endpoints. With personal
// endpoints Cloudflare's log of URLs is disabled, since URLs have clients' keys at /k/KEY. All text
// of the user stays. namespace is the id of the KV namespace; if "", wrangler uses the worker's
// own, or makes one.
func (c *config) generated(personal bool, namespace string) (string, error) {
	if wrangler.IsJSON(c.path) {
		return c.generatedJSON(personal, namespace)
	}
	prefix := ""
	if c.inherits {
		prefix = "env." + c.environment + "."
		if !bareKey.MatchString(c.environment) {
			prefix = "env." + strconv.Quote(c.environment) + "."
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# "+generatedHead, filepath.Base(c.path))
	b.WriteString(c.text)
	if !strings.HasSuffix(c.text, "\n") {
		b.WriteString("\n")
	}
	if c.lacksAI() {
		fmt.Fprintf(&b, "\n[%sai]\nbinding = %q\n", prefix, aiBinding)
	}
	if personal {
		if err := c.appendPersonal(&b, prefix, namespace); err != nil {
			return "", err
		}
	}
	if _, err := toml.Decode(b.String(), &file{}); err != nil {
		return "", fmt.Errorf("%s can't be added to (%w); write its kv_namespaces and durable_objects as "+
			"tables: [[kv_namespaces]], [[durable_objects.bindings]]", c.path, err)
	}
	return b.String(), nil
}

// appendPersonal adds the tables for personal endpoints. prefix is that of the environment's
// tables.
func (c *config) appendPersonal(b *strings.Builder, prefix, namespace string) error {
	if !c.bindsKV() {
		fmt.Fprintf(b, "\n[[%skv_namespaces]]\nbinding = %q\n", prefix, kvBinding)
		if namespace != "" {
			fmt.Fprintf(b, "id = %q\n", namespace)
		}
	}
	if !c.bindsObjects() {
		fmt.Fprintf(b, "\n[[%sdurable_objects.bindings]]\nname = %q\nclass_name = %q\n", prefix,
			objectBinding, objectClass)
	}
	observed, at := c.file.Observed, "observability"
	if c.inherits && c.own.Observed != nil {
		observed, at = c.own.Observed, prefix+at
	}
	switch {
	case observed.invocations() && (observed.Logs != nil || inlineObserved.MatchString(c.text)):
		return fmt.Errorf("%s lets Cloudflare log URLs, and with /k/KEY keys; add invocation_logs = false "+
			"to its [%s.logs], or true if that is meant", c.path, at)
	case observed.invocations():
		fmt.Fprintf(b, "\n[%s.logs]\ninvocation_logs = false\n", at)
	}
	any, class := c.migrates()
	switch {
	case any && !class:
		return fmt.Errorf("%s has migrations of its own; add one to them, behind the last: "+
			"new_sqlite_classes = [%q]", c.path, objectClass)
	case !any:
		fmt.Fprintf(b, "\n[[migrations]]\ntag = %q\nnew_sqlite_classes = [%q]\n", migrationTag, objectClass)
	}
	return nil
}

// write writes the generated file beside the user's. It returns the path and the text.
func (c *config) write(personal bool, namespace string) (path, text string, err error) {
	if text, err = c.generated(personal, namespace); err != nil {
		return "", "", err
	}
	name := Generated
	if wrangler.IsJSON(c.path) {
		name = GeneratedJSON
	}
	path = filepath.Join(filepath.Dir(c.path), name)
	return path, text, os.WriteFile(path, []byte(text), 0o644)
}

// Prepare writes the generated file for commands of wrangler run by hand, such as wrangler dev, and
// returns its path.
func Prepare(path, environment string) (string, error) {
	path = configOr(path)
	c, err := readConfig(path, environment)
	if err != nil {
		return "", err
	}
	generated, _, err := c.write(true, "")
	return generated, err
}
