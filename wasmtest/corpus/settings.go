package corpus

import (
	"bytes"
	"encoding/json"
	"errors"

	"edgelingua/translator/ir"
	"edgelingua/worker/endpoint"
)

// anyServer is a host that nothing is known of.
const anyServer = "https://upstream.example"

// config is the part of an endpoint's record that translation depends on.
type config struct {
	Models          json.RawMessage `json:"models"`
	Options         json.RawMessage `json:"options"`
	UpstreamOptions json.RawMessage `json:"upstream_options"`
	UpstreamURL     string          `json:"upstream_url"` // of a known server; else it accepts only what the options say
	Target          json.RawMessage `json:"target"`       // fields of ir.Target that no option has
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

// Settings returns the variables of a worker for the scenario, before an upstream of a protocol. No setting says what config has
// under target.
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

// Upstream returns the upstream that a worker with these settings has.
func Upstream(settings map[string]string) (*endpoint.Upstream, error) {
	e, err := endpoint.Load(func(name string) (string, bool) {
		value, ok := settings[name]
		return value, ok
	})
	if err != nil {
		return nil, errors.New(err.Message)
	}
	return &e.Upstreams[0], nil
}

// Target returns what the scenario's upstream accepts when it is asked for model: natively, with what config has under target.
// Where neither config nor the caller has named a server that is what all of them take, whatever is known of the model.
func (s *Scenario) Target(u *endpoint.Upstream, model string) (*ir.Target, error) {
	t := u.Target(model)
	if u.URL == anyServer {
		t = ir.Target{}
		u.Override(&t)
	}
	if s.config.Target == nil {
		return &t, nil
	}
	err := readStrictly(s.config.Target, &t)
	return &t, err
}
