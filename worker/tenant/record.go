package tenant

import (
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Prefix is what the keys of records in KV begin with; the endpoint's name follows.
const Prefix = "endpoint:"

// RecordKey returns the key in KV of an endpoint's record.
func RecordKey(name string) string { return Prefix + name }

// stored returns the endpoint of that name; nil where there is none, or its record can't be read, which only the host's log says.
func stored(host bridge.Host, name string) (*endpoint.Endpoint, error) {
	if !endpoint.IsName(name) {
		return nil, nil
	}
	record, _, found, failed := host.KVGet(RecordKey(name))
	if failed != nil {
		return nil, endpoint.NotSetUp(failed.Error())
	}
	if !found {
		return nil, nil
	}
	e, err := endpoint.Parse(name, string(record))
	if err != nil {
		println("edgelingua: the record of " + name + " can't be read: " + err.Error())
		return nil, nil
	}
	return e, nil
}

// Unseal opens the upstream's key and the token of its gateway where they came from a record, in which both are sealed: neither from the
// deployment's settings nor from the client. An upstream that is Cloudflare's own models gets the key of the deployment's account, where
// there is one, and one at Vertex AI a token.
func Unseal(host bridge.Host, u *endpoint.Upstream) error {
	if u.IsCloudflareAI() {
		if err := u.ByAccount(host.Setting); err != nil {
			return endpoint.NotSetUp(err.Error())
		}
		return nil
	}
	if u.ByServiceAccount() {
		return byToken(host, u)
	}
	if u.Endpoint.Name == "" || u.Endpoint.Forward || u.OnCloudflare() {
		return nil
	}
	if err := open(host, u, u.SealContext(), &u.Key, "the key"); err != nil || u.Gateway == nil {
		return err
	}
	return open(host, u, u.TokenContext(), &u.Gateway.Token, "the gateway's token")
}

// open opens a sealed secret of an upstream in its place, if there is one.
func open(host bridge.Host, u *endpoint.Upstream, context string, sealed *string, what string) error {
	if *sealed == "" {
		return nil
	}
	secret, opened, _, failed := host.Open(context, *sealed)
	switch {
	case failed != nil:
		return endpoint.NotSetUp(failed.Error())
	case !opened:
		return endpoint.NotSetUp(what + " of the upstream " + u.Name + " can't be opened. Set it again.")
	}
	*sealed = secret
	return nil
}
