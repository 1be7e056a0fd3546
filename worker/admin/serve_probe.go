package admin

import (
	"net/http"
	"net/url"
	"strings"

	"edgelingua/translator/passing"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/tenant"
	"edgelingua/worker/upstream"
	"edgelingua/worker/web"
	"edgelingua/worker/web/search"
)

// patience is how long a test waits for an upstream, in milliseconds.
const patience = 20_000

// test requests the models of an upstream, which costs nothing, and answers with the outcome or
// with the models. The upstream is from the endpoint or from a draft. Its key is redacted in the
// answer. Nothing is stored.
func (m *managed) test() (status int, out []byte, err *Error) {
	body, err := m.body()
	if err != nil {
		return 0, nil, err
	}
	lists, fields := m.Operation == Models || m.Operation == DraftModels, TestFields
	if lists {
		fields = ModelsFields
	}
	t, err := ReadTest(body, fields)
	if err != nil {
		return 0, nil, err
	}
	rec, e, err := m.tried(&t)
	if err != nil {
		return 0, nil, err
	}
	if t.Upstream == endpoint.WebSearchKey && !lists {
		return m.testSearch(&t, rec, e)
	}
	u, i, err := t.Choose(e)
	if err != nil {
		return 0, nil, err
	}
	if e.Forward { // an old sealed key does not count: clients bring their own keys
		e.Present("", false)
	} else if err := m.unseal(u, &rec.upstreams[i]); err != nil {
		return 0, nil, err
	}
	form := upstream.ModelsOf(u)
	path := form.Path
	if lists {
		path += form.All
	}
	if t.Model != "" && !u.OnCloudflare() {
		path += "/" + url.PathEscape(t.Model)
	}
	call := upstream.Call(m.host, u, path, "", nil)
	call.Silence = min(call.Silence, patience)
	from := m.host.Now()
	var list string
	t.Status, list, t.Problem = m.probe(call, u)
	t.Milliseconds = m.host.Now().Sub(from).Milliseconds()
	if lists && t.Problem == "" {
		t.List(form, list)
	}
	return http.StatusOK, t.Append(nil), nil
}

// unseal opens the secrets of an upstream for a test. Secrets of a draft replace the stored
// secrets. From a pool, the first key is tested.
func (m *managed) unseal(u *endpoint.Upstream, s *upstreamSecrets) *Error {
	if len(u.Keys) > 0 {
		u.Key = u.Keys[0]
	}
	if failed := tenant.Unseal(m.host, u); failed != nil {
		return Refuse(http.StatusInternalServerError, failed.Error())
	}
	for i := range s.keys {
		switch plain := s.keys[i].plain; {
		case plain == "":
		case i == 0:
			u.Key = plain
		default:
			u.Keys = append(u.Keys, plain)
		}
	}
	if s.token.plain != "" {
		u.Gateway.Token = s.token.plain
	}
	return nil
}

// testSearch runs a search at the provider in the endpoint's option web_search, and answers with
// the outcome.
func (m *managed) testSearch(t *Trial, rec *Record, e *endpoint.Endpoint) (status int, out []byte,
	err *Error) {
	// web_search can't be the name of an upstream, since names have no underscore, so it stands for
	// the search provider here and in sealed_keys. Its key is sealed for the provider's host.
	w := &e.WebSearch
	if w.Name == "" {
		return 0, nil, bad("upstream", "is web_search, but the endpoint has no option web_search.")
	}
	if rec.search.plain != "" {
		w.Key = rec.search.plain
	} else if failed := web.Unseal(m.host, e); failed != nil {
		return 0, nil, Refuse(http.StatusInternalServerError, failed.Error())
	}
	from := m.host.Now()
	_, answered, _, failed := web.Search(m.host, w, &search.Query{Text: "edgelingua", Count: 1})
	t.Status, t.Milliseconds = answered, m.host.Now().Sub(from).Milliseconds()
	if failed != nil {
		t.Problem = failed.Reason
	}
	return http.StatusOK, t.Append(nil), nil
}

// tried returns the endpoint to test, and its record, under the rules for stored records.
func (m *managed) tried(t *Trial) (rec *Record, e *endpoint.Endpoint, err *Error) {
	switch {
	case m.Operation == Test || m.Operation == Models:
		rec, err = m.load()
		if err == nil && t.Draft != "" {
			err = rec.Patch(t.Draft)
		}
	case t.Draft == "":
		err = bad("draft", "is missing.")
	default:
		rec, err = Draft(t.Draft)
	}
	if err != nil {
		return nil, nil, err
	}
	local, err := m.localUpstreams()
	if err != nil {
		return nil, nil, err
	}
	if t.Draft != "" {
		_, e, err = rec.encode(local)
		return rec, e, err
	}
	e = rec.Endpoint()
	if wrong := e.Public(); wrong != nil && !local {
		err = Refuse(http.StatusInternalServerError, "The record of "+m.Name+" can't be used: "+wrong.Error())
	}
	return rec, e, err
}

// probe calls the upstream. It returns the status of the answer (0 for no answer), the body with
// secrets redacted, and the problem ("" for no problem).
func (m *managed) probe(call bridge.Call, u *endpoint.Upstream) (status int, list, problem string) {
	head, failed := m.host.Fetch(call)
	if failed != nil {
		return 0, "", passing.Redact(upstream.Unreached(failed.Error()).Message, u.Secrets())
	}
	limit := upstream.MaxAnswer
	if head.Status >= 300 {
		limit = upstream.MaxError
	}
	body, failed := m.host.Read(limit, 0)
	text := passing.Redact(string(body), u.Secrets())
	switch {
	case failed != nil:
		return head.Status, "", "The answer's body can't be read."
	case head.Status >= 300 && head.Status < 400:
		return head.Status, "", "The upstream answered with a redirect, which is not followed."
	case head.Status < 300:
		return head.Status, text, NoModels(text)
	case u.Key != "" && strings.Contains(text, u.Key):
		return head.Status, "", "The answer holds the key, which is too short to be taken out."
	}
	return head.Status, "", Excerpt(text)
}
