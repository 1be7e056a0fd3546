package conform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"edgelingua/wasmtest/vendors"
)

// changed asks with a change of the request's body.
func changed(what string, change func(c *client, body object)) *Probe {
	return &Probe{name: what, live: true, turns: textPlain.turns, run: func(c *client) {
		q := c.question("Say hello in one short sentence.")
		q.change = func(body object) { change(c, body) }
		c.ask(q)
	}}
}

const noResponse = "resp_0000000000000000000000000000000000000000000000"

var (
	unknownResponse = changed("an unknown previous_response_id", func(_ *client, body object) {
		body["previous_response_id"] = noResponse
	})
	getUnknown = raw("GET of an unknown response", func(c *client) {
		c.send(http.MethodGet, c.prefix+"/responses/"+noResponse, c.api.head(c.target.Key), nil)
	})
	deleteUnknown = raw("DELETE of an unknown response", func(c *client) {
		c.send(http.MethodDelete, c.prefix+"/responses/"+noResponse, c.api.head(c.target.Key), nil)
	})

	// socketProbe has two turns on one WebSocket. The second one has only its new item.
	socketProbe = &Probe{name: "a WebSocket", turns: answers(&vendors.Turn{Text: hello,
		Usage: usualUsage}, usualText),
		run: func(c *client) {
			c.socket(func(s *socket) {
				q := c.question("Say hello in one short sentence.")
				first := c.turn(s, q, "")
				q.history = []any{c.api.user(texts("And now? " + c.mark)...)}
				c.turn(s, q, member[string](member[object](first.Events[len(first.Events)-1].JSON,
					"response"), "id"))
			})
		}}
	socketWrong = &Probe{name: "a wrong message on a WebSocket", run: func(c *client) {
		c.socket(func(s *socket) {
			if err := s.write(opText, []byte(`{"type":"no.such.event"}`)); err != nil {
				panic(&fault{"an open connection", err.Error()})
			}
			c.messages(s)
		})
	}}

	compactProbe = &Probe{name: "POST /v1/responses/compact", turns: answers(&vendors.Turn{
		Text: "The user has said hello.", Usage: usualUsage}), run: func(c *client) {
		q := c.question("Say hello.")
		q.history = append(q.history, said(c.api, "Hello.")...)
		body := c.api.body(q)
		for _, name := range []string{"store", "include", "max_output_tokens"} {
			delete(body, name)
		}
		c.send(http.MethodPost, c.prefix+"/responses/compact", c.api.head(c.target.Key), []byte(encode(body)))
	}}
	editProbe = &Probe{name: "edits of the history", turns: textPlain.turns, run: func(c *client) {
		q := c.question("Say hello.")
		body := c.api.body(q)
		body["context_management"] = object{"edits": []any{object{"type": "clear_tool_uses_20250919"}}}
		head := c.api.head(c.target.Key)
		head["anthropic-beta"] = "context-management-2025-06-27"
		c.send(http.MethodPost, c.prefix+"/messages", head, []byte(encode(body)))
	}}
)

// socket opens a WebSocket for talk, or records the refusal.
func (c *client) socket(talk func(s *socket)) {
	ctx, cancel := context.WithTimeout(c.ctx, c.patience)
	defer cancel()
	s, reply, err := dial(ctx, c.target.URL+c.prefix+"/responses", c.api.head(c.target.Key))
	if err != nil {
		panic(c.missing("a WebSocket at", c.prefix+"/responses", errors.Join(err, ctx.Err())))
	}
	if s == nil {
		c.clean(reply)
		c.record.Replies = append(c.record.Replies, reply)
		return
	}
	defer s.conn.Close()
	talk(s)
	_ = s.write(opClose, []byte{0x03, 0xe8}) // the server may be gone
}

// turn sends response.create, and reads the answer.
func (c *client) turn(s *socket, q *question, previous string) *Reply {
	body := c.api.body(q)
	body["type"] = "response.create"
	if previous != "" {
		body["previous_response_id"] = previous
	}
	if err := s.write(opText, []byte(encode(body))); err != nil {
		panic(&fault{"an open connection", err.Error()})
	}
	return c.messages(s)
}

// messages reads the messages of an answer up to its terminal event.
func (c *client) messages(s *socket) *Reply {
	r := &Reply{Status: http.StatusOK, Header: http.Header{}, Stream: true}
	for {
		message, err := s.read()
		if err != nil {
			panic(&fault{"a terminal event", Show(fmt.Sprintf("%v after %s", err, kinds(r.Events)))})
		}
		e := Event{Data: string(message), JSON: decode("a message", message).object()}
		e.Name = member[string](e.JSON, "type")
		r.Events = append(r.Events, e)
		r.Body = append(append(r.Body, message...), '\n')
		if len(r.Body) > maxBody || len(r.Events) > maxLines {
			panic(&fault{"a terminal event", fmt.Sprintf("an answer of more than %d bytes or %d events",
				maxBody, maxLines)})
		}
		if e.Name == "error" || slices.Contains(terminal, e.Name) {
			break
		}
	}
	c.clean(r)
	c.read(r)
	c.record.Replies = append(c.record.Replies, r)
	return r
}

// socketServed ends the case if there is no WebSocket.
func (r *Record) socketServed() {
	if first := r.Replies[0]; !first.Stream {
		panic(&notServed{fmt.Sprintf("the handshake got %d", first.Status)})
	}
}

func init() {
	each := func(id, title, must, why, source, since string, s Severity, n need, p *Probe,
		judge func(r *Record),
		m Mutation) {
		add(&Case{ID: "responses/" + id, Title: title, Must: must, Why: why, Source: source,
			Since: since, Severity: s,
			needs: n, probe: p, judge: judge, mutation: m})
	}
	state := "developers.openai.com/api/docs/guides/conversation-state"
	stored := func(id, title, must, why string, s Severity, p *Probe, judge func(r *Record), m Mutation) {
		each("stored/"+id, title, must, why, state, "2025-03-11", s, form, p, judge, m)
	}
	refused := func(r *Record) {
		r.refused()
		demand(r.last().Status < 500, "a status of 400 to 499", r.last().summary())
	}
	stored("1.1", "an unknown previous_response_id", "status 400 to 499, in the form of the API",
		"an id that is passed over loses the whole conversation (kiro-gateway#38)", Loses,
		unknownResponse, refused,
		status(200))
	stored("1.2", "an unknown previous_response_id has a message", "error.message is not empty",
		"agents send the whole conversation then", Fails, unknownResponse, func(r *Record) { r.refused() },
		swap(`"message":"[^"]*"`, `"message":""`))
	absent := func(r *Record) {
		if got := r.last().Status; got == http.StatusMethodNotAllowed || got == http.StatusNotImplemented {
			panic(&notServed{fmt.Sprintf("it answered %d", got)})
		}
		failsWith(404)(r)
		r.refused()
	}
	stored("2.1", "GET of an unknown response", "status 404, in the form of the API",
		"clients that poll take another answer for a response", Style, getUnknown, absent, status(200))
	stored("2.2", "DELETE of an unknown response", "status 404, in the form of the API",
		"clients think that something was deleted", Style, deleteUnknown, absent, status(200))

	socket := func(id, title, must, why string, s Severity, n need, p *Probe, judge func(r *Record),
		m Mutation) {
		each("websocket/"+id, title, must, why, "developers.openai.com/api/docs/guides/websocket-mode",
			"2026-02-23", s, n,
			p, func(r *Record) {
				r.socketServed()
				judge(r)
			}, m)
	}
	socket("1.1", "each message is an event", "one JSON object with a type in each text message",
		"Codex reads one event of each message", Fails, script, socketProbe, func(r *Record) {
			for _, e := range r.Replies[0].Events {
				demand(e.Name != "", "a type", e.Data)
			}
		}, swap(`"type":"response.created",`, ""))
	socket("1.2", "an answer begins and ends as a stream", "response.created first, a terminal event last",
		"Codex waits for response.completed", Fails, script, socketProbe, func(r *Record) {
			all := r.Replies[0].Events
			demand(all[0].Name == "response.created" && all[len(all)-1].Name == "response.completed",
				"response.created ... response.completed", kinds(all))
		}, swap(`"type":"response.created"`, `"type":"response.begun"`))
	socket("1.3", "the text arrives", "as over HTTP", "the answer is lost", Fails, script, socketProbe,
		func(r *Record) {
			demand(r.Replies[0].Text == hello, hello, r.Replies[0].Text)
		}, swap("Zoë", "Zo"))
	socket("1.4", "usage arrives", "the terminal event has the vendor's counts", "Codex compacts by it",
		Loses, script,
		socketProbe, func(r *Record) {
			u := r.Replies[0].Usage
			demand(u.Input == 11 && u.Output == 7, "11 and 7 tokens", fmt.Sprintf("%+v", u))
		}, swap(`:11\b`, ":12"))
	socket("2.1", "a second turn on the connection", "previous_response_id and the new item are enough",
		"Codex sends only what is new", Fails, script, socketProbe, func(r *Record) {
			demand(len(r.Replies) == 2 && r.Replies[1].Text == usualText.Text, usualText.Text, r.last().Body)
		}, swap("It is|sunny", "x"))
	socket("2.2", "the second turn has the whole conversation",
		"the upstream gets both questions and the first answer",
		"the model has forgotten the conversation", Loses, upstream, socketProbe, func(r *Record) {
			g := r.got(1)
			g.holds("Say hello in one short sentence.")
			g.holds("And now?")
			demand(strings.Contains(strings.Join(stringsOf(g.Body), ""), "Zoë"), "the first answer", g.Body)
		}, laterRequest("And now", "And"))
	socket("2.3", "a wrong message", "an event error, with a message", "clients wait for an answer",
		Loses, script,
		socketWrong, func(r *Record) {
			last := r.Replies[0].Events[len(r.Replies[0].Events)-1]
			demand(last.Name == "error", "an event error", last.Data)
			v := value{"error", last.JSON}
			if v.has("error") {
				v = v.get("error")
			}
			v.get("message").name()
		}, swap(`"message":`, `"words":`))

	each("compaction/1.1", "POST /v1/responses/compact",
		"an object with the list output, which ends with an item "+
			"compaction", "Codex replaces its conversation by this list",
		openAIDocs+"responses/methods/compact", "2025-12-04",
		Fails, script, compactProbe, func(r *Record) {
			r.last().optional()
			output := r.body().get("output").list()
			demand(len(output) > 0, "items", r.last().Body)
			last := output[len(output)-1]
			last.get("type").is("compaction")
			last.get("encrypted_content").name()
		}, swap(`"type":"compaction"`, `"type":"message"`))
	each("compaction/1.2", "a compaction has usage", "input_tokens and output_tokens",
		"Codex counts what is left",
		openAIDocs+"responses/methods/compact", "2025-12-04", Loses, script, compactProbe, func(r *Record) {
			r.last().optional()
			r.body().get("usage").get("input_tokens").count()
			r.body().get("usage").get("output_tokens").count()
		}, lacking("usage"))
	edits := func(id, title, must string, judge func(r *Record), m Mutation) {
		add(&Case{ID: "messages/compaction/" + id, Title: title, Must: must,
			Why:    "old results fill the window; Claude Code and agents clear them",
			Source: "platform.claude.com/docs/en/build-with-claude/context-editing", Since: "2025-09-29",
			Severity: Loses,
			needs:    upstream, probe: editProbe, judge: func(r *Record) {
				if r.Upstream != "messages" {
					panic(&skipped{"only Messages has edits; a gateway may run them itself"})
				}
				judge(r)
			}, mutation: m})
	}
	edits("1.1", "edits reach the vendor", "context_management is in the upstream's request",
		func(r *Record) {
			g := r.got(0)
			demand(g.has("context_management", func(v any) bool { return v != nil }), "context_management",
				g.Body)
		}, lackingRequest("context_management"))
	edits("1.2", "the beta's header reaches the vendor", "anthropic-beta names context-management-2025-06-27",
		func(r *Record) {
			got := r.got(0).Header.Get("Anthropic-Beta")
			demand(strings.Contains(got, "context-management-2025-06-27"),
				"context-management-2025-06-27", got)
		}, Mutation{request: func(w *wire) { w.header.Del("Anthropic-Beta") }})
}
