package corpus

import (
	"bytes"
	"encoding/json"
	"errors"

	"edgelingua/translator/ir"
	"edgelingua/worker/endpoint"
)

// anyServer is a host of which package target knows nothing.
const anyServer = "https://upstream.example"

// config is the section config: the settings of an endpoint on which translation depends.
type config struct {
	Models          json.RawMessage `json:"models"`
	Options         json.RawMessage `json:"options"`
	UpstreamOptions json.RawMessage `json:"upstream_options"`
	UpstreamURL     string          `json:"upstream_url"` // a known server; "" for one that only accepts what the zero ir.Target and the options say
	Target          json.RawMessage `json:"target"`       // fields of ir.Target for which there is no option
}

func readConfig(text []byte) (c config, err error) {
	err = readStrictly(text, &c)
	return c, err
}

// readStrictly is json.Unmarshal, with an error for an unknown member.
func readStrictly(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// Settings returns the variables of a worker that has the scenario's config and an upstream of a protocol. The target in config
// is not among them, since no variable can say it.
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

// Upstream returns the upstream that a worker with these variables has.
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

// Target returns what the scenario's upstream accepts when it is asked for model, with the target that config has. For an
// upstream that no setting names, it starts from the zero ir.Target, whatever is known of the model.
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
