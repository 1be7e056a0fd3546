package tenant

import (
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// tokenLeft is the least remaining lifetime of a usable token, in seconds. An upstream checks the
// token within the lifetime.
const tokenLeft = 60

// The table of tokens of service accounts in an endpoint's object has one token per upstream,
// sealed like a key. key distinguishes the service account from an earlier one.
const tokens = `CREATE TABLE IF NOT EXISTS upstream_token (upstream TEXT PRIMARY KEY, key TEXT, sealed ` +
	`TEXT, expires INTEGER) WITHOUT ROWID`

// byToken replaces the key of an upstream, which is a service account's key, by a token from
// Google. The private key stays at the host. A personal endpoint stores the token in its object.
// Without an object, each request gets a new token.
//
//go:noinline
func byToken(host bridge.Host, u *endpoint.Upstream) error {
	context := u.SealContext()
	if u.Endpoint.Name == "" {
		token, _, failed := host.Token(context, "")
		if failed != nil {
			return endpoint.NotSetUp(failed.Error())
		}
		u.Key = token
		return nil
	}
	is, now := u.Health(), host.Now().Unix()
	s := new(bridge.Statements).SQL(tokens)
	s.SQL("SELECT sealed FROM upstream_token WHERE upstream = ?1 AND key = ?2 AND " +
		"expires > ?3").String(is.Upstream).String(is.Key).Number(float64(now + tokenLeft))
	rows, failed := host.Batch(u.Endpoint.Object(), s)
	if failed == nil {
		if kept := keptToken(rows); kept != "" {
			if token, ok, _, failed := host.Open(context+"/token", kept); failed == nil && ok {
				u.Key = token
				return nil
			}
		}
	}
	bound := failed == nil
	token, expires, failed := host.Token(context, u.Key)
	if failed != nil {
		return endpoint.NotSetUp("the upstream " + u.Name + ": " + failed.Error())
	}
	u.Key = token
	if !bound {
		return nil
	}
	sealed, failed := host.Seal(context+"/token", token)
	if failed == nil {
		s := new(bridge.Statements)
		Alive(s, u.Endpoint)
		s.SQL(tokens).SQL("INSERT OR REPLACE INTO upstream_token VALUES " +
			"(?1, ?2, ?3, ?4)").String(is.Upstream).String(is.Key).String(sealed).Number(float64(expires))
		_, failed = host.Batch(u.Endpoint.Object(), s)
	}
	if failed != nil {
		println("edgelingua: a token can't be kept: " + failed.Error())
	}
	return nil
}

// keptToken reads the rows of the stored token, or returns "".
func keptToken(rows *bridge.Rows) (sealed string) {
	for rows.Answer(); rows.Next(); {
		sealed = string(rows.Value().Bytes)
	}
	return sealed
}
