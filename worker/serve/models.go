package serve

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
	"edgelingua/worker/tenant"
	"edgelingua/worker/upstream"
)

// models answers with the list of models, or with the model in the path, in the form of the
// client's API. The models are the names in the endpoint's model maps. Without such names, the
// first upstream provides the list, and the upstream of a model provides that model.
//
//go:noinline
func (h *record) models(r *http.Request, e *endpoint.Endpoint) (*reply, error) {
	id := idIn(r, h.client)
	one, form := id != "", h.client.Models
	// Literal names in the settings say which models to show; a name with * stands for any number
	// of models. Otherwise the upstream knows best. There is a single request, so OpenAI's form of
	// Anthropic's list has the first 1,000 entries, the largest page.
	if names := e.Names(); len(names) > 0 {
		return h.listNames(e, names, id)
	}
	choices := e.Entitled(e.Choose(id))
	if len(choices) == 0 || !one {
		choices = []endpoint.Choice{{Upstream: &e.Upstreams[0], Model: id}}
	}
	// A model NAME/.. would address another path of the upstream, like a bare ".." (routeOf).
	if one && strings.Trim(choices[0].Model, ".") == "" {
		return nil, noModel(id)
	}
	u := h.attempts.order(choices)[0].Upstream
	if err := tenant.Unseal(h.host, u); err != nil {
		return nil, err
	}
	theirs := upstream.ModelsOf(u)
	path := theirs.Path
	if one && !u.OnCloudflare() {
		path += "/" + url.PathEscape(choices[0].Model)
	}
	if form == theirs {
		call := h.forwarded(r, u, path, nil)
		head, err := h.reach(u, call)
		if err != nil {
			return nil, err
		}
		return h.passAnswer(head, u, call.URL)
	}
	if !one {
		path += theirs.All
	}
	body, err := h.fetchModels(upstream.Call(h.host, u, path, "", nil), u)
	if err != nil {
		return nil, err
	}
	if one && u.OnCloudflare() {
		return h.listNames(e, namesIn(body, theirs), id)
	}
	list, ok := models.DecodeList(theirs, body)
	if one {
		list = make([]ir.Model, 1)
		list[0], ok = models.Decode(theirs, body)
	}
	if !ok {
		return nil, &ir.Error{Kind: ir.Unavailable, Message: "The upstream's list of models can't be read."}
	}
	for i := range list {
		m := &list[i]
		name := jsonw.Unescape(m.ID)
		models.Complete(m, name, u.Target(name))
	}
	return h.appendModels(list, one)
}

// appendModels answers with a list or, if one is true, with its only model. The log says how many
// models have no known limit: their clients assume a window of their own.
func (h *record) appendModels(list []ir.Model, one bool) (*reply, error) {
	unknown := 0
	for i := range list {
		if list[i].Input == 0 {
			unknown++
		}
	}
	if unknown > 0 {
		println("edgelingua: the context window is unknown for", unknown, "of", len(list), "listed models")
	}
	if one {
		return jsonReply(h.client.Models.Append(nil, &list[0]), nil)
	}
	return jsonReply(h.client.Models.AppendList(nil, list), nil)
}

// fetchModels returns the body of an upstream's answer to a request for models, or the error for a
// failed answer.
//
//go:noinline
func (h *record) fetchModels(call bridge.Call, u *endpoint.Upstream) (string, error) {
	head, err := h.reach(u, call)
	if err != nil {
		return "", err
	}
	body, failed := h.host.Read(upstream.MaxAnswer, 0)
	h.copyHeaders(head.Lines, u)
	switch {
	case head.Status >= 400:
		err := translator.Pair{Client: h.client, Upstream: u.API}.UpstreamError(head.Status, body, u.Secrets)
		return "", upstream.Advise(u, call.URL, err, string(body))
	case head.Status >= 300:
		return "", upstream.Redirected(head.Status)
	case failed != nil:
		return "", upstream.Unreached(failed.Error())
	}
	return string(body), nil
}

// namesIn returns the ids of the models in an upstream's list. A list that can't be read has none.
func namesIn(body string, form *ir.Models) (names []string) {
	list, _ := models.DecodeList(form, body)
	for i := range list {
		names = append(names, jsonw.Unescape(list[i].ID))
	}
	return names
}

// listNames answers with the names in the endpoint's model maps or, if id is not "", with the model
// of that name. The list has only one page, regardless of the client's limit. A model's limits are
// those of the first upstream that serves it: no upstream is asked.
//
//go:noinline
func (h *record) listNames(e *endpoint.Endpoint, names []string, id string) (*reply, error) {
	list := make([]ir.Model, 0, len(names))
	for _, name := range names {
		if id != "" && name != id {
			continue
		}
		m := ir.Model{ID: jsonw.Escape(name), Owner: "edgelingua"}
		if choices := e.Choose(name); len(choices) > 0 {
			models.Complete(&m, choices[0].Model, choices[0].Target(choices[0].Model))
			if choices[0].Passes(h.client) {
				m.Target = nil // what a body can have is for the upstream to say
			}
		}
		list = append(list, m)
	}
	if id != "" && len(list) == 0 {
		return nil, noModel(id)
	}
	return h.appendModels(list, id != "")
}

func noModel(id string) error {
	return &ir.Error{Kind: ir.NotFound, Message: "There is no model " + id +
		" here. GET /v1/models lists those that there are."}
}
