package conform

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"edgelingua/wasmtest/vendors"
)

// upstreamWords is the message of each error of the upstream.
const upstreamWords = "The garden is closed, try the park."

// errorProbe has an upstream that answers with a status.
func errorProbe(code int, stream bool) *Probe {
	return &Probe{name: name(fmt.Sprintf("status %d", code), stream), turns: func(upstream string) []*turn {
		t := &turn{status: code, message: upstreamWords, head: http.Header{}}
		if code == http.StatusServiceUnavailable && upstream == "messages" {
			t.status = 529
		}
		if code == http.StatusTooManyRequests {
			t.head.Set("Retry-After", "7")
		}
		return []*turn{t, t, t, t} // for gateways that try again
	}, run: func(c *client) {
		q := c.question("Say hello.")
		q.stream = stream
		c.ask(q)
	}}
}

// raw is a probe of one request that asks no model.
func raw(what string, send func(c *client)) *Probe { return &Probe{name: what, free: true, run: send} }

// wrongKey is the key of no server.
const wrongKey = "conform-wrong-key-19ac"

var (
	error400, error401, error403 = errorProbe(400, false), errorProbe(401, false), errorProbe(403, false)
	error404, error413           = errorProbe(404, false), errorProbe(413, false)
	error429, error500           = errorProbe(429, false), errorProbe(500, false)
	error503, error429Stream     = errorProbe(503, false), errorProbe(429, true)
	error400Stream               = errorProbe(400, true)

	failing = &Probe{name: "a stream that fails", run: textStream.run, turns: func(string) []*turn {
		return []*turn{{Turn: vendors.Turn{Text: longWords, Usage: usualUsage}, failing: true,
			message: upstreamWords}}
	}}
	cutting = &Probe{name: "a stream that breaks off", run: textStream.run, turns: func(string) []*turn {
		return []*turn{{Turn: vendors.Turn{Text: longWords, Usage: usualUsage}, cut: true}}
	}}
	cuttingPlain = &Probe{name: "a body that breaks off", run: textPlain.run, turns: func(string) []*turn {
		t := &turn{Turn: vendors.Turn{Text: longWords, Usage: usualUsage}, cut: true}
		return []*turn{t, t, t, t}
	}}

	notJSON = raw("a body that is not JSON", func(c *client) {
		c.send(http.MethodPost, c.api.path(c.prefix, c.model, false), c.api.head(c.target.Key), []byte("{"))
	})
	noMembers = raw("an empty object", func(c *client) {
		c.send(http.MethodPost, c.api.path(c.prefix, c.model, false), c.api.head(c.target.Key), []byte("{}"))
	})
	badKey = raw("a wrong key", func(c *client) {
		c.send(http.MethodPost, c.api.path(c.prefix, c.model, false), c.api.head(wrongKey),
			[]byte(encode(object{"model": c.model})))
	})
	badPath = raw("an unknown path", func(c *client) {
		path := c.prefix + "/no-such-path"
		c.send(http.MethodPost, path, c.api.head(c.target.Key), []byte("{}"))
	})
	badMethod = raw("a GET", func(c *client) {
		c.send(http.MethodGet, c.api.path(c.prefix, c.model, false), c.api.head(c.target.Key), nil)
	})
	badType = raw("messages of a wrong type", func(c *client) {
		name := by[string]{"messages", "messages", "input", "contents"}.of(c.api)
		c.send(http.MethodPost, c.api.path(c.prefix, c.model, false), c.api.head(c.target.Key),
			[]byte(encode(object{"model": c.model, "max_tokens": 16, name: 7})))
	})
)

var longWords = strings.Repeat("Words and more words. ", 20)

// refused returns the message of an error in the form of the client's API.
func (r *Record) refused() string {
	reply := r.last()
	demand(reply != nil && reply.Status >= 400, "a status of 400 or more", reply.summary())
	kind := reply.contentType()
	demand(kind == "application/json", "content-type application/json", kind+": "+Show(reply.Body))
	return r.api.error(decode("the body", reply.Body))
}

// failsWith demands one of the statuses. A gateway may refuse on its own authority.
func failsWith(codes ...int) func(r *Record) {
	return func(r *Record) {
		got := r.last().Status
		for _, code := range codes {
			if got == code {
				return
			}
		}
		fail(fmt.Sprintf("status %d", codes[0]), r.last().summary())
	}
}

// typed demands the type of an error: by Messages' and Google's words, and OpenAI's types.
func typed(messages, openAI, gemini string) func(r *Record) {
	return func(r *Record) {
		r.refused()
		e := decode("the body", r.last().Body).get("error")
		switch r.Client {
		case "messages":
			e.get("type").is(messages)
		case "gemini":
			e.get("status").is(gemini)
		default:
			if openAI != "" {
				e.get("type").is(openAI)
			}
		}
	}
}

// failure returns the message of the error that ends a stream, or of an error instead of a stream.
func (r *Record) failure() string {
	reply := r.last()
	if !reply.Stream {
		return r.refused()
	}
	demand(len(reply.Events) > 0, "an error at the end", reply.Body)
	last := reply.Events[len(reply.Events)-1]
	v := value{"the last event", last.JSON}
	switch r.Client {
	case "messages":
		demand(last.Name == "error", "the event error at the end", last.Name+" "+last.Data)
		return r.api.error(v)
	case "responses":
		if last.Name == "error" {
			return v.get("message").name()
		}
		demand(last.Name == "response.failed", "the event error or response.failed at the end", last.Name)
		return v.get("response").get("error").get("message").name()
	}
	return v.get("error").get("message").name()
}

// unclean demands that a stream without an end does not look like a whole answer.
func (r *Record) unclean() {
	reply := r.last()
	if reply.Status >= 400 || reply.Broken != nil {
		return
	}
	demand(reply.Stream, "an error", reply.summary())
	ends := by[string]{`"message_stop"`, "[DONE]", `"response.completed"`, `"finishReason":"STOP"`}.of(r.api)
	text := strings.ReplaceAll(string(reply.Body), ": ", ":")
	demand(!strings.Contains(text, strings.ReplaceAll(ends, ": ", ":")) || r.Client == "chat" &&
		strings.Contains(text, `"error"`), "no clean end", tail(reply.Body))
	demand(reply.Stop == "" || reply.Stop == "failed", "no word for an end", reply.Stop)
	r.failure()
}

// hidesWrongKey demands that the last answer does not have the wrong key.
func (r *Record) hidesWrongKey() {
	reply := r.last()
	demand(!strings.Contains(string(reply.Body), wrongKey), "an answer without the key",
		"the key is in the body")
	for name, values := range reply.Header {
		demand(!strings.Contains(strings.Join(values, " "), wrongKey), "an answer without the key",
			"the key is in the header "+name)
	}
}

// keepsKey demands that no answer has the client's key.
func (r *Record) keepsKey() {
	for _, reply := range r.Replies {
		demand(reply.leak == "", "an answer without the client's key", "the key is in "+reply.leak)
	}
}

// echo is a server that repeats the key in a header.
func echo() Mutation {
	var key atomic.Value
	return Mutation{request: func(w *wire) {
		key.Store(w.header.Get("Authorization") + w.header.Get("X-Api-Key") + w.header.Get("X-Goog-Api-Key"))
	}, answer: func(w *wire) {
		if sent, _ := key.Load().(string); sent != "" {
			w.header.Set("X-Echo", sent)
		}
	}}
}

func init() {
	why := "clients decide by the status whether to try again, to sign in, or to compact the conversation"
	otherBody := `{"fault":"none"}`
	statuses := func(id, title string, p *Probe, s Severity, judge func(r *Record), other int) {
		addEach(template{id: "errors/" + id, title: title, must: "the status of the vendor's error", why: why,
			source: errorDocs, since: sinceAPI, severity: s, needs: script, probe: p, judge: judge,
			mutation: same(status(other))})
	}
	statuses("1.1", "status 400", error400, Fails, failsWith(400), 500)
	statuses("1.2", "status 401 of the upstream", error401, Loses, failsWith(401, 502, 500), 400)
	statuses("1.3", "status 403", error403, Loses, failsWith(403), 500)
	statuses("1.4", "status 404", error404, Loses, failsWith(404), 500)
	statuses("1.5", "status 413", error413, Loses, failsWith(413), 500)
	statuses("1.6", "status 429", error429, Fails, failsWith(429), 500)
	statuses("1.7", "status 500", error500, Fails, failsWith(500), 400)
	statuses("1.8", "overloaded: 529 of Messages, 503 elsewhere", error503, Fails, failsWith(503, 529), 500)
	statuses("1.9", "status 429 for a stream", error429Stream, Fails, failsWith(429), 200)

	each := func(id, title, must, why string, s Severity, n need, p *Probe, judge func(r *Record),
		m by[Mutation]) {
		addEach(template{id: "errors/" + id, title: title, must: must, why: why, source: errorDocs,
			since:    sinceAPI,
			severity: s, needs: n, probe: p, judge: judge, mutation: m})
	}
	refused := func(r *Record) { r.refused() }
	words := func(r *Record) {
		demand(strings.Contains(r.refused(), upstreamWords), upstreamWords, r.last().Body)
	}
	otherForm := same(body(otherBody))
	each("2.1", "the form of an error", "JSON in the form of the client's API, not the upstream's",
		"SDKs show \"undefined\" instead of the message", Fails, script, error400, refused, otherForm)
	each("2.2", "the upstream's message", "the vendor's words are in the client's message",
		"clients parse \"prompt is too long\" to compact (copilot-api#210)", Loses, script, error400, words,
		same(swap("the park", "again")))
	each("2.3", "the upstream's message, of a 429", "the vendor's words are in the client's message",
		"the message says which limit, and for how long", Loses, script, error429, words,
		same(swap("the park", "again")))
	each("2.4", "the wait after a 429", "the header retry-after has the vendor's 7 seconds",
		"clients try again at once, and are limited again", Loses, script, error429, func(r *Record) {
			got := r.last().Header.Get("Retry-After")
			demand(got == "7", "retry-after: 7", got)
		}, same(head("Retry-After", "")))
	each("2.5", "the form of an error before a stream", "JSON in the form of the client's API, not a stream",
		"SDKs read the body of a status of 400 as JSON", Fails, script, error400Stream, refused, otherForm)
	each("2.6", "the type of a 400", "invalid_request_error or INVALID_ARGUMENT",
		"clients branch on the type", Loses,
		script, error400, typed("invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"),
		same(swap("invalid_request_error|INVALID_ARGUMENT", "api_error")))
	each("2.7", "the type of a 429", "rate_limit_error or RESOURCE_EXHAUSTED",
		"clients branch on the type", Loses,
		script, error429, typed("rate_limit_error", "", "RESOURCE_EXHAUSTED"),
		by[Mutation]{swap("rate_limit_error", "api_error"), body(otherBody), body(otherBody),
			swap("RESOURCE_EXHAUSTED", "INTERNAL")})
	each("2.8", "the type of a 500", "api_error, server_error or INTERNAL", "clients branch on the type",
		Loses,
		script, error500, typed("api_error", "server_error", "INTERNAL"),
		same(swap("api_error|server_error|INTERNAL", "invalid_request_error")))
	each("2.9", "the type of an overloaded vendor", "overloaded_error or UNAVAILABLE",
		"Claude Code falls back to "+
			"another model on it", Loses, script, error503, typed("overloaded_error", "", "UNAVAILABLE"),
		by[Mutation]{swap("overloaded_error", "api_error"), body(otherBody), body(otherBody),
			swap("UNAVAILABLE", "INTERNAL")})

	each("3.1", "a stream that fails ends with an error", "the API's event of an error is the last one",
		"half an answer looks whole (litellm#32086, talon PR#254)", Fails, script, failing,
		func(r *Record) { r.failure() }, same(without(`(event: error|event: response\.failed|"error":\{)`)))
	each("3.2", "the message of a stream that fails", "the vendor's words", "users see no reason", Loses,
		script,
		failing, func(r *Record) {
			got := r.failure()
			demand(strings.Contains(got, upstreamWords), upstreamWords, got)
		}, same(swap("the park", "again")))
	each("3.3", "a stream that fails has no clean end",
		"no message_stop, finish_reason, response.completed or "+
			"finishReason", "a client takes half an answer for a whole one (bifrost PR#6805)", Fails, script,
		failing,
		(*Record).unclean, by[Mutation]{
			swap(`event: error`, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\nevent: error"),
			swap(`data: \{"error"`, "data: "+
				"{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"error\""),
			swap(`event: error`, "event: response.completed\ndata: "+
				"{\"type\":\"response.completed\",\"response\":{}}\n\nevent: error"),
			swap(`data: \{"error"`, "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\ndata: "+
				"{\"error\"")})
	each("3.4", "the text before a failure arrives", "what the model had said", "long answers are lost",
		Loses, script,
		failing, func(r *Record) {
			reply := r.last()
			if !reply.Stream {
				panic(&skipped{"the error came instead of the stream"})
			}
			demand(strings.Contains(string(reply.Body), "Words and more"), "Words and more", tail(reply.Body))
		}, same(swap("Words and more", "")))
	each("3.5", "a connection that breaks is no end, streamed", "an error, or a broken connection",
		"a client takes half an answer for a whole one (FAULTS of llms, y-router, Portkey)", Fails,
		script, cutting,
		(*Record).unclean, same(Mutation{answer: func(w *wire) {
			w.broken = false
			w.body = append(w.body, ("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n" +
				"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" +
				"data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n" +
				"event: response.completed\ndata: " +
				"{\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n" +
				"data: [DONE]\n\n")...)
		}}))
	each("3.6", "a connection that breaks is no end, plain", "an error, or a broken connection",
		"a client parses half a body", Fails, script, cuttingPlain, func(r *Record) {
			reply := r.last()
			demand(reply.Status >= 400 || reply.Broken != nil, "an error", reply.summary())
		}, same(Mutation{answer: func(w *wire) { w.broken, w.body = false, []byte("{}") }}))

	free := func(id, title, must, why string, s Severity, p *Probe, judge func(r *Record), m Mutation) {
		each("4."+id, title, must, why, s, 0, p, judge, same(m))
	}
	clientError := func(r *Record) {
		r.refused()
		demand(r.last().Status < 500, "a status of 400 to 499", r.last().summary())
	}
	free("1", "a body that is not JSON", "status 400 to 499, in the form of the API",
		"clients try again after a 500, with the same body", Fails, notJSON, clientError, status(500))
	free("2", "an empty object", "status 400 to 499, in the form of the API",
		"clients try again after a 500, with the same body", Fails, noMembers, clientError,
		body("Bad Request"))
	free("3", "messages of a wrong type", "status 400 to 499, in the form of the API",
		"clients try again after a 500, with the same body", Fails, badType, clientError, status(500))
	free("4", "a wrong key", "status 401 or 403, in the form of the API (servers without keys may take any)",
		"clients ask for a new key only then", Fails, badKey, func(r *Record) {
			r.refused()
			if got := r.last().Status; got != 401 && got != 403 {
				if r.Upstream == "" {
					panic(&skipped{fmt.Sprintf("the server takes any key: it answered %d", got)})
				}
				fail("status 401 or 403", r.last().summary())
			}
		}, status(400))
	free("5", "a wrong key is not repeated", "neither body nor headers have the key",
		"logs and screenshots leak keys "+
			"(cline#1766)", Fails, badKey, (*Record).hidesWrongKey,
		Mutation{answer: func(w *wire) { w.body = append(w.body, wrongKey...) }})
	each("4.8", "the client's key is not repeated", "neither body nor headers of an answer have the key",
		"logs and screenshots leak keys", Fails, form, textPlain, func(r *Record) {
			if len(r.key) < shortKey {
				panic(&skipped{"the key is too short to look for"})
			}
			r.keepsKey()
		}, same(echo()))
	free("6", "an unknown path", "status 404, in JSON", "clients show a web page as an error", Style, badPath,
		func(r *Record) {
			failsWith(404)(r)
			decode("the body", r.last().Body).get("error")
		}, body("<html>"))
	free("7", "a GET where a POST belongs", "status 404 or 405", "a status of 200 hides a wrong client",
		Style,
		badMethod, failsWith(405, 404), status(200))
}
