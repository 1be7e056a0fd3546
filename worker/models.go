//go:build js && wasm

package main

import (
	"net/http"
	"net/url"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/models"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/personal"
	"edgelingua/worker/upstream"
)

// modelPath is what the path of one model begins with; the rest is its name.
const modelPath = "/v1/models/"

// isModel reports whether a path is that of one model. A name of dots would lead to another path of the upstream.
func isModel(path string) bool {
	id, ok := strings.CutPrefix(path, modelPath)
	return ok && strings.Trim(id, ".") != ""
}

// models answers with the models that clients may ask for, or with one of them, in the shape of the client's API: the names in
// the endpoint's model maps, or the first upstream's own list where there are none.
func (a *answer) models(r *http.Request, e *endpoint.Endpoint) {
	id, one := strings.CutPrefix(r.URL.Path, modelPath)
	anthropic := a.client == "anthropic"
	if names := e.Names(); len(names) > 0 {
		a.named(names, id, one, anthropic)
		return
	}
	choices := e.Choose(id)
	if len(choices) == 0 || !one {
		choices = []endpoint.Choice{{Upstream: &e.Upstreams[0], Model: id}}
	}
	u := choices[0].Upstream
	if err := personal.Unseal(u); err != nil {
		a.fail(err)
		return
	}
	path := u.ModelsPath()
	if one {
		path += "/" + url.PathEscape(choices[0].Model)
	}
	if anthropic == (u.Protocol == "anthropic") {
		head, err := a.reach(forwarded(r, u, path, nil))
		if err != nil {
			a.fail(err)
			return
		}
		a.passAnswer(head, u)
		return
	}
	if !anthropic && !one {
		path += "?limit=1000" // the most: OpenAI's lists have no pages
	}
	body, err := a.fetchModels(upstream.Call(u, path, "", nil), u)
	if err != nil {
		a.fail(err)
		return
	}
	out, ok := translateModels(body, one, anthropic)
	if !ok {
		a.fail(&ir.Error{Kind: ir.Unavailable, Message: "The upstream's list of models can't be read."})
		return
	}
	a.send(200, typeJSON, bridge.Bytes(out))
}

// fetchModels returns the body of an upstream's good answer.
func (a *answer) fetchModels(call bridge.Call, u *endpoint.Upstream) (string, *ir.Error) {
	head, err := a.reach(call)
	if err != nil {
		return "", err
	}
	body, failed := bridge.Read(upstream.MaxAnswer)
	a.copyHeaders(head.Lines)
	switch {
	case head.Status >= 400:
		pair, _ := translator.Lookup(a.client, u.Protocol)
		return "", pair.UpstreamError(head.Status, body, u.Secrets)
	case head.Status >= 300:
		return "", upstream.Redirected(head.Status)
	case failed != nil:
		return "", upstream.Unreached(failed.Error())
	}
	return string(body), nil
}

func translateModels(body string, one, anthropic bool) (out []byte, ok bool) {
	if one {
		m, ok := models.Decode(body)
		return models.Append(nil, anthropic, &m), ok
	}
	list, ok := models.DecodeList(body)
	return models.AppendList(nil, anthropic, list), ok
}

// named answers with names that the owner gives to models. They fit on one page, whatever limit a client sets.
func (a *answer) named(names []string, id string, one, anthropic bool) {
	list := make([]models.Model, len(names))
	for i, name := range names {
		list[i] = models.Model{ID: jsonw.Escape(name), Owner: "edgelingua"}
		if one && name == id {
			a.send(200, typeJSON, bridge.Bytes(models.Append(nil, anthropic, &list[i])))
			return
		}
	}
	if one {
		a.fail(&ir.Error{Kind: ir.NotFound, Message: "There is no model " + id + " here. GET /v1/models lists those that there are."})
		return
	}
	a.send(200, typeJSON, bridge.Bytes(models.AppendList(nil, anthropic, list)))
}
