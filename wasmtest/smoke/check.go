package smoke

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// The columns that only Check has, in addition to those of Live.
const (
	columnModels = "models"
	columnCount  = "count_tokens"
	columnEmpty  = "{}"
)

// API is one of the four APIs, and says whether a server has it.
type API struct {
	Name   string `json:"name"`
	URL    string `json:"url,omitempty"` // where requests are sent
	Served bool   `json:"served"`
	Why    string `json:"why,omitempty"` // why the API does not seem to be served

	dialect *dialect
}

// Base returns the part of url before the APIs' paths. url may end in /v1 or in a slash.
func Base(url string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(url, "/"), "/v1"), "/")
}

// Find finds out which of the four APIs a server has, at their paths with and without /v1. This
// costs no tokens, since the requests have no messages. The error is for the user and says what to
// do.
func Find(ctx context.Context, target Target, model string) (apis []API, err error) {
	c := &client{ctx: ctx, target: target, patience: target.patience() / 2}
	found, refused := false, 0
	for i := range dialects {
		var api API
		paths := []string{dialects[i].path}
		if bare, ok := strings.CutPrefix(paths[0], "/v1/"); ok {
			paths = append(paths, "/"+bare)
		}
		for _, path := range paths {
			d := dialects[i]
			d.path = path
			a, err := c.try(http.MethodPost, path, d.own(target.Key), encode(object{"model": model}))
			if err != nil {
				return nil, unreachable(err, c, "the URL, and that the server runs")
			}
			api = API{Name: d.name, URL: target.URL + path, dialect: &d}
			if api.Why = whyNot(a); api.Why == "" {
				api.Served, found = true, true
				break
			}
			if a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
				refused = a.status
				break
			}
		}
		if !api.Served {
			api.Why, api.URL = "POST "+api.URL+" answered "+show(api.Why), ""
		}
		apis = append(apis, api)
	}
	switch {
	case !found && refused != 0:
		return nil, fmt.Errorf("%s refuses the key (%d); put the right one into EDGELINGUA_KEY", target.URL,
			refused)
	case !found:
		return nil, fmt.Errorf("there is none of the four APIs at %s (%s); check the URL", target.URL,
			apis[0].Why)
	}
	return apis, nil
}

// whyNot returns the reason why an API is not served, judged by the answer to a request without
// messages, or "" if the API is served.
func whyNot(a *received) string {
	status := fmt.Sprintf("%d %s", a.status, kindOf(a))
	var body struct{ Error any }
	isJSON := json.Unmarshal([]byte(a.body), &body) == nil
	_, hasForm := body.Error.(object)
	switch {
	case a.status >= 300 && a.status < 400:
		return a.summary()
	case a.status == http.StatusUnauthorized, a.status == http.StatusForbidden,
		a.status == http.StatusMethodNotAllowed, a.status == http.StatusNotImplemented:
		return status
	case a.status == http.StatusNotFound && !(hasForm && strings.Contains(a.body, "model") &&
		!strings.Contains(a.body, "URL")):
		return status // Ollama also answers 404 for an unknown model
	case a.status == http.StatusOK && !(isJSON && (body.Error == nil || hasForm)):
		return status // a web page for every path, or LM Studio's "Unexpected endpoint" with status 200
	}
	return ""
}

// Check checks the APIs found by Find. It asks a model the same questions as Live, and stops for
// the same reasons.
func Check(ctx context.Context, target Target, model string, apis []API, progress Progress) *Report {
	l := live{ctx: ctx, target: target, model: model}
	var checks []check
	for _, api := range apis {
		if !api.Served {
			continue
		}
		d := api.dialect
		add := func(column string, run func(c *client)) {
			checks = append(checks, check{
				pair: d.name, column: column, name: column, client: &client{ctx: ctx, target: target,
					patience: target.patience()}, run: run,
			})
		}
		add(columnModels, func(c *client) { checkModels(c, d) })
		switch d.name {
		case "anthropic":
			add(columnCount, func(c *client) { checkCount(c, d, model) })
		case "gemini":
			add(columnCount, func(c *client) { checkGeminiCount(c, d, model) })
		}
		add(columnWrongKey, func(c *client) { checkWrongKey(c, d, model) })
		add(columnNotJSON, func(c *client) { checkRefused(c, d, "{") })
		add(columnEmpty, func(c *client) { checkRefused(c, d, "{}") })
		checks = append(checks, l.checks(d)...)
	}
	r := l.run(checks, progress)
	r.APIs = apis
	return r
}

// beside returns the path of another request to the server of d.
func (d *dialect) beside(path string) string {
	for _, version := range []string{"/v1", "/v1beta"} {
		if strings.HasPrefix(d.path, version+"/") {
			return version + path
		}
	}
	return path
}

// sendOptional sends a request for an optional feature of a server. If the feature is missing, the
// check ends with notServed.
func (c *client) sendOptional(method, path string, head map[string]string, body string) *received {
	a := c.send(method, path, head, body)
	if a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed ||
		a.status == http.StatusNotImplemented {
		panic(notServed)
	}
	if a.status != http.StatusOK {
		fail("status 200", a.summary())
	}
	a.isA("application/json")
	a.isWhole()
	return a
}

func checkModels(c *client, d *dialect) {
	n := parse("the body", c.sendOptional(http.MethodGet, d.beside("/models"), d.own(c.target.Key), "").body)
	if d.name == "gemini" { // @google/genai, types.ts, ListModelsResponse
		for _, model := range n.get("models").list() {
			model.get("name").name()
		}
		return
	}
	if d.name == "anthropic" { // anthropic-sdk-python, types/model_info.py and pagination.py
		n.get("has_more")
	} else {
		n.get("object").is("list")
	}
	for _, model := range n.get("data").list() {
		model.get("id").name()
		if d.name == "anthropic" {
			model.get("type").is("model")
			model.get("display_name").text()
		} else {
			model.get("object").is("model") // openai-python, types/model.py
			model.get("created").count()
			model.get("owned_by").text()
		}
	}
}

func checkCount(c *client, d *dialect, model string) {
	body := object{"model": model, "messages": []any{object{"role": "user", "content": "Hi"}}}
	a := c.sendOptional(http.MethodPost, d.path+"/count_tokens", d.own(c.target.Key), encode(body))
	if n := parse("the body", a.body).get("input_tokens"); n.count() == 0 {
		fail(n.at+" above 0", n.v)
	}
}

// checkWrongKey sends a request without messages, so a server that accepts any key does not call a
// model.
func checkWrongKey(c *client, d *dialect, model string) {
	a := c.send(http.MethodPost, d.path, d.own(wrongKey), encode(object{"model": model}))
	a.failsIn(d)
	if a.status != http.StatusUnauthorized && a.status != http.StatusForbidden {
		c.note = fmt.Sprintf("the server takes any key: it answered %d", a.status)
	}
}

func checkRefused(c *client, d *dialect, body string) {
	a := c.send(http.MethodPost, d.path, d.own(c.target.Key), body)
	a.failsIn(d)
	if a.status >= http.StatusInternalServerError {
		fail("a status from 400 to 499", a.summary())
	}
}

// failsIn demands an error in the form from which the API's clients read the message.
func (a *received) failsIn(d *dialect) {
	if a.status < http.StatusBadRequest {
		fail("a status from 400 on", a.summary())
	}
	a.isA("application/json")
	a.isWhole()
	d.failure(parse("the body", a.body), 0)
}
