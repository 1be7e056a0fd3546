package tenant

import (
	"strings"

	"edgelingua/translator/jsonr"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Prefix is the beginning of the keys of records in KV. The endpoint's name follows.
const Prefix = "endpoint:"

// RecordKey returns the key of an endpoint's record in KV.
func RecordKey(name string) string { return Prefix + name }

// stored returns the record of the endpoint with a name from KV, or "" if there is none.
func stored(host bridge.Host, name string) (record string, err error) {
	if !endpoint.IsName(name) {
		return "", nil
	}
	value, _, _, failed := host.KVGet(RecordKey(name))
	if failed != nil {
		return "", endpoint.NotSetUp(failed.Error())
	}
	return string(value), nil
}

// parse returns the endpoint of a record. If the record can't be read, parse returns nil, and only
// the host's log reports the reason.
func parse(name, record string) *endpoint.Endpoint {
	e, err := endpoint.Parse(name, record)
	if err != nil {
		println("edgelingua: the record of " + name + " can't be read: " + err.Error())
		return nil
	}
	return e
}

// HasKey reports whether a record seems to have the key with this hash. A wrong key is refused
// without parsing the record: otherwise the duration would tell names that exist. record is "" if
// there is no such endpoint.
func HasKey(record, hash string) bool { return strings.Contains(record, hash) }

// forwards reports whether a record seems to be of an enabled endpoint that forwards the clients'
// own keys.
func forwards(record string) bool {
	if !jsonr.Shows(record, `"auth"`, `"forward"`) {
		return false
	}
	disabled, _, _ := jsonr.LastMember(record, "disabled")
	return disabled != "true"
}

// Unseal opens the upstream's key and its gateway's token. Both are sealed if they come from a
// record, but not if they come from the deployment's settings or from the client. An upstream for
// Cloudflare's own models gets the key of the deployment's account, if there is one. An upstream at
// Vertex AI gets a token.
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
	if len(u.Keys) > 0 {
		openPool(host, u)
	}
	if err := open(host, u, u.SealContext(), &u.Key, "the key"); err != nil || u.Gateway == nil {
		return err
	}
	return open(host, u, u.TokenContext(), &u.Gateway.Token, "the gateway's token")
}

// openPool opens the other keys of the upstream's pool. Their vendor knows them and may show them
// in an error about this request, so they are redacted too. A key that can't be opened is useless,
// and left out.
//
//go:noinline
func openPool(host bridge.Host, u *endpoint.Upstream) {
	var others []string
	for _, sealed := range u.Keys {
		if sealed == u.Key {
			continue
		}
		if key, opened, _, _ := host.Open(u.SealContext(), sealed); opened {
			others = append(others, key)
		}
	}
	u.Keys = others
}

// open replaces a sealed secret of an upstream by the secret, if any.
func open(host bridge.Host, u *endpoint.Upstream, context string, sealed *string, what string) error {
	if *sealed == "" {
		return nil
	}
	secret, opened, _, failed := host.Open(context, *sealed)
	switch {
	case failed != nil:
		return endpoint.NotSetUp(failed.Error())
	case !opened:
		return endpoint.NotSetUp(what + " of the upstream " + u.Name + endpoint.Unopened)
	}
	*sealed = secret
	return nil
}
