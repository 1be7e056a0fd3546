//go:build js && wasm

package admin

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"edgelingua/translator"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/personal"
	"edgelingua/worker/upstream"
)

// patience is how long a test waits for an upstream, in milliseconds.
const patience = 20_000

// test asks an upstream of the endpoint for its models, which costs nothing, and answers with what came of that. The upstream's key is
// taken out of it.
func (m *managed) test() (status int, out []byte, err *Error) {
	body, err := m.body()
	if err != nil {
		return 0, nil, err
	}
	t, err := ReadTest(body)
	if err != nil {
		return 0, nil, err
	}
	rec, err := m.load()
	if err != nil {
		return 0, nil, err
	}
	local, err := localUpstreams()
	if err != nil {
		return 0, nil, err
	}
	e := rec.Endpoint()
	if wrong := e.Public(); wrong != nil && !local {
		return 0, nil, Refuse(http.StatusInternalServerError, "The record of "+m.Name+" can't be used: "+wrong.Error())
	}
	u, err := t.Choose(e)
	if err != nil {
		return 0, nil, err
	}
	if e.Forward { // a sealed key from before is no key: clients bring theirs
		e.Present("", false)
	}
	if failed := personal.Unseal(u); failed != nil {
		return 0, nil, Refuse(http.StatusInternalServerError, failed.Message)
	}
	path := u.API.Models.Path
	if t.Model != "" {
		path += "/" + url.PathEscape(t.Model)
	}
	call := upstream.Call(u, path, "", nil)
	call.Silence = min(call.Silence, patience)
	from := time.Now()
	t.Status, t.Problem = probe(call, u)
	t.Milliseconds = time.Since(from).Milliseconds()
	return http.StatusOK, t.Append(nil), nil
}

// probe returns the status of the upstream's answer, 0 for none, and what is wrong with that, "" for nothing.
func probe(call bridge.Call, u *endpoint.Upstream) (status int, problem string) {
	head, failed := bridge.Fetch(call)
	if failed != nil {
		return 0, translator.Redact(upstream.Unreached(failed.Error()).Message, u.Secrets())
	}
	limit := upstream.MaxAnswer
	if head.Status >= 300 {
		limit = upstream.MaxError
	}
	body, failed := bridge.Read(limit)
	text := string(body)
	switch {
	case failed != nil:
		return head.Status, "The answer's body can't be read."
	case head.Status >= 300 && head.Status < 400:
		return head.Status, "The upstream answered with a redirect, which is not followed."
	case head.Status < 300:
		return head.Status, NoModels(text)
	}
	text = translator.Redact(text, u.Secrets())
	if u.Key != "" && strings.Contains(text, u.Key) {
		return head.Status, "The answer holds the key, which is too short to be taken out."
	}
	return head.Status, Excerpt(text)
}
