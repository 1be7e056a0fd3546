package cli

import (
	"errors"
	"fmt"
	"log"
	"maps"
	"net"
	"net/url"
	"strings"

	"edgelingua/wasmtest/host"
	"edgelingua/wasmtest/seal"
	"edgelingua/wasmtest/wrangler"
	"edgelingua/worker/endpoint"
)

// settings returns the program's vars and secrets. Flags win over the environment, and the
// environment over files (see override). The demo's settings win over both, but not over flags.
func (o *serveOptions) settings(demo map[string]string) (*wrangler.Settings, error) {
	s := &wrangler.Settings{Vars: map[string]string{}}
	at := wrangler.Where{Config: o.config, Environment: o.environment, DevVars: o.devVars}
	if demo == nil && !o.namedOnly || at != (wrangler.Where{}) {
		var err error
		if s, err = wrangler.Load(at); err != nil {
			return nil, usageError{fmt.Errorf("%w; `edgelingua serve -h` says which files are read", err)}
		}
	}
	for name, v := range demo {
		if _, found := s.Vars[name]; !found || name == "UPSTREAM_URL" || name == "UPSTREAM_KEY" {
			s.Vars[name] = v
		}
	}
	if err := o.override(s, demo); err != nil {
		return nil, err
	}
	if _, said := s.Vars["USAGE"]; demo != nil && !said && s.Vars["AUTH"] == "" {
		s.Vars["USAGE"] = "true" // gives the page of the demo figures to show
	}
	if note := unknown(s.Vars); note != "" {
		s.Notes = append(s.Notes, note)
	}
	maps.DeleteFunc(s.Vars, func(name, _ string) bool { return !endpoint.Known(name) })
	if err := o.mayServeDemo(s.Vars); err != nil {
		return nil, err
	}
	return s, o.mayRecord(s.Vars)
}

// mayServeDemo returns the reason to refuse the demo's well-known key: a flag has replaced the
// demo's upstream with one of another machine. An upstream of this machine may be a test's.
func (o *serveOptions) mayServeDemo(vars map[string]string) error {
	given := o.vars["UPSTREAM_URL"]
	u, err := url.Parse(given)
	if !o.demo || given == "" || vars["CLIENT_KEY"] != demoClientKey ||
		err == nil && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()) {
		return nil
	}
	return usageError{errors.New("everybody knows the key of --demo, and --var UPSTREAM_URL is a server " +
		"of another machine: leave --demo out, or choose a key with --secret CLIENT_KEY")}
}

// trustedProxies reads TRUSTED_PROXIES.
func trustedProxies(vars map[string]string) (host.Proxies, error) {
	p, err := host.ParseProxies(vars["TRUSTED_PROXIES"])
	if err != nil {
		return nil, usageError{err}
	}
	return p, nil
}

// describe returns the module's line about its upstream, with a hint on missing settings of personal
// endpoints, or the error for settings that can't serve.
func describe(module *host.Host, vars map[string]string) (line string, err error) {
	if err := seal.Check(vars); err != nil {
		return "", usageError{err}
	}
	if vars["UPSTREAM_URL"] == endpoint.CloudflareAI && vars["CLOUDFLARE_ACCOUNT_ID"] == "" {
		return "", usageError{errors.New("UPSTREAM_URL is cloudflare:ai, Cloudflare's own models: from " +
			"here they are reached by CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN. " +
			"`npx wrangler whoami` shows the account's id, and a token with the permission Workers AI: " +
			"Read is made in Cloudflare's dashboard")}
	}
	line, wrong, err := module.Describe()
	if wrong && bare(vars) {
		return "", usageError{errors.New(nothingSet)}
	}
	if wrong {
		return "", usageError{errors.New(line)}
	}
	if vars["ADMIN_KEY"] != "" && vars["SEAL_KEY"] == "" {
		line += "; SEAL_KEY is not set, so no personal endpoint can have an upstream with a key: `openssl " +
			"rand -base64 32` makes one"
	}
	return line, err
}

// nothingSet is the error for a serve without any settings, as in an empty folder.
const nothingSet = "no upstream and no key is set, and no file here sets them. " +
	"To try edgelingua without a key: `edgelingua serve --demo`. For a team, with everything else in the " +
	"browser: `edgelingua serve --secret ADMIN_KEY --secret SEAL_KEY --data data`. For yourself: " +
	"`edgelingua serve --var UPSTREAM_PROTOCOL=... --var UPSTREAM_URL=... --secret UPSTREAM_KEY --secret " +
	"CLIENT_KEY`, or the same names in .dev.vars"

// bare reports whether vars set neither an upstream nor a key.
func bare(vars map[string]string) bool {
	for _, name := range []string{"UPSTREAM_PROTOCOL", "UPSTREAM_URL", "CLIENT_KEY", "ADMIN_KEY", "AUTH"} {
		if vars[name] != "" {
			return false
		}
	}
	return true
}

// logSettings logs the sources of the settings.
func logSettings(logger *log.Logger, s *wrangler.Settings) {
	if len(s.Files) > 0 {
		logger.Print("settings of " + strings.Join(s.Files, ", "))
	}
	for _, note := range s.Notes {
		logger.Print("note: " + note)
	}
}
