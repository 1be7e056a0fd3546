package smoke

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"edgelingua/wasmtest/conform"
)

// The columns of the table of checks that need no model.
const (
	columnNoKey    = "no key"
	columnWrongKey = "wrong key"
	columnAPIKey   = "x-api-key"
	columnBearer   = "bearer"
	columnMethod   = "405"
	columnPath     = "404"
	columnNotJSON  = "not JSON"
)

// authChecks returns the checks for each client path that need no model: those of keys and of
// invalid requests.
func authChecks(ctx context.Context, target Target, patience time.Duration) (checks []check) {
	for i := range dialects {
		d := &dialects[i]
		add := func(column string, run func(c *client)) {
			checks = append(checks, check{
				pair: d.name, column: column, name: column, client: &client{ctx: ctx, target: target,
					patience: patience}, run: run,
			})
		}
		add(columnNoKey, func(c *client) { c.send(http.MethodPost, d.path, nil, "{}").refused(d, 401) })
		// The request itself is valid: with AUTH=forward the upstream, not the worker, rejects the
		// key.
		q := &question{Ask: conform.Ask{Model: "demo", Words: "Hi", MaxTokens: 16}}
		add(columnWrongKey, func(c *client) {
			for _, head := range []map[string]string{keyHeader(wrongKey), bearer(wrongKey)} {
				c.send(http.MethodPost, d.pathOf(q), head, encode(d.ask(q))).refused(d, 401)
			}
		})
		add(columnAPIKey, func(c *client) { checkAdmitted(c, d, keyHeader(c.target.Key), "{}") })
		add(columnBearer, func(c *client) { checkAdmitted(c, d, bearer(c.target.Key), "{}") })
		add(columnMethod, func(c *client) {
			a := c.send(http.MethodGet, d.path, d.own(c.target.Key), "")
			a.refused(d, 405)
			if allow := a.head.Get("allow"); allow != http.MethodPost {
				fail("allow: POST", allow)
			}
		})
		add(columnPath, func(c *client) {
			c.send(http.MethodPost, strings.Replace(d.path, "/v1", "/v1/no", 1), d.own(c.target.Key),
				"{}").refused(d, 404)
		})
		add(columnNotJSON, func(c *client) { checkAdmitted(c, d, d.own(c.target.Key), "{") })
	}
	return checks
}

// checkAdmitted demands that the key is accepted and the body rejected. In a deployment the
// upstream may reject the body, with a status and a form of its own. The demo rejects it as the
// vendors do.
func checkAdmitted(c *client, d *dialect, head map[string]string, body string) {
	a := c.send(http.MethodPost, d.path, head, body)
	switch {
	case c.target.Upstream != "":
		a.refused(d, http.StatusBadRequest)
	case a.status == http.StatusBadRequest:
		a.isA("application/json")
		d.failure(parse("the body", a.body), 0)
	case a.status == http.StatusUnprocessableEntity:
		c.note = "the upstream refuses the request with 422"
	default:
		fail("status 400", fmt.Sprintf("%d %s", a.status, a.body))
	}
}
