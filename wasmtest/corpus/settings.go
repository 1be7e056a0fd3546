package corpus

import (
	"bytes"
	"encoding/json"
	"errors"

	"edgelingua/translator/ir"
	"edgelingua/worker/endpoint"
)

// anyServer is a host without known targets.
const anyServer = "https://upstream.example"

// config is the section config: the settings of an endpoint that affect translation.
type config struct {
	Models          json.RawMessage `json:"models"`
	Options         json.RawMessage `json:"options"`
	UpstreamOptions json.RawMessage `json:"upstream_options"`
	// UpstreamURL is a known server. "" means a server that accepts only the features of the zero
	// ir.Target and the options.
	UpstreamURL string          `json:"upstream_url"`
	Target      json.RawMessage `json:"target"` // fields of ir.Target without an option
}

func readConfig(text []byte) (c config, err error) {
	err = readStrictly(text, &c)
	return c, err
}

// readStrictly is json.Unmarshal, but an unknown member is an error.
func readStrictly(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// Settings returns the variables of a worker with the scenario's config and an upstream of a
// protocol. The member target of config is not included: no variable can express it.
func (s *Scenario) Settings(upstream string) map[string]string {
	settings := map[string]string{"UPSTREAM_PROTOCOL": upstream, "UPSTREAM_URL": anyServer}
	for name, value := range map[string]string{
		"UPSTREAM_URL": s.config.UpstreamURL, "MODELS": string(s.config.Models),
		"OPTIONS": string(s.config.Options), "UPSTREAM_OPTIONS": string(s.config.UpstreamOptions),
	} {
		if value != "" {
			settings[name] = value
		}
	}
	return settings
}

// Upstream returns the upstream of a worker with these variables.
func Upstream(settings map[string]string) (*endpoint.Upstream, error) {
	e, err := endpoint.Load(func(name string) (string, bool) {
		value, ok := settings[name]
		return value, ok
	})
	if err != nil {
		return nil, errors.New(err.Error())
	}
	return &e.Upstreams[0], nil
}

// Target returns the features of the scenario's upstream for a model, changed by the target in
// config. Without an upstream_url the features start from the zero ir.Target, whatever is known
// about the model.
func (s *Scenario) Target(u *endpoint.Upstream, model string) (*ir.Target, error) {
	t := u.Target(model)
	if u.URL == anyServer {
		t = &ir.Target{}
		u.Override(t)
	}
	if s.config.Target == nil {
		return t, nil
	}
	err := readStrictly(s.config.Target, t)
	return t, err
}
