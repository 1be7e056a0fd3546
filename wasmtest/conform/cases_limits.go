package conform

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"edgelingua/wasmtest/vendors"
)

// oddText has characters that some programs change: a letter and its accent, letters from right to left, an
// emoji of several characters, line separators, a byte order mark, and the last characters of Unicode.
const oddText = "e\u0301 שלום 👩‍👩‍👧‍👦 \u2028 \u2029 \ufeff \u200b \ufffd \U0010fffd \t /\\/ </script> " +
	"&amp; %20 ${x}"

var (
	bigText  = strings.Repeat("All work and no play. ", 1<<15)     // 704 KB
	longSaid = strings.Repeat("The quick brown fox 漢字 😀. ", 1<<13) // 270 KB

	bigProbe = &Probe{name: "a prompt of 700 KB", turns: answers(usualText), run: func(c *client) {
		q := c.question(bigText)
		c.ask(q)
	}}
	longAnswerPlain = &Probe{name: "an answer of 270 KB, plain", run: textPlain.run,
		turns: answers(&vendors.Turn{Text: longSaid, Usage: usualUsage})}
	longAnswerStream = &Probe{name: "an answer of 270 KB, streamed", run: textStream.run,
		turns: answers(&vendors.Turn{Text: longSaid, Usage: usualUsage})}
	oddProbe = &Probe{name: "odd characters", turns: answers(&vendors.Turn{Text: oddText, Usage: usualUsage}),
		run: func(c *client) {
			q := c.question(oddText)
			q.stream = true
			c.ask(q)
		}}
	manyMessages = &Probe{name: "200 messages", turns: answers(usualText), run: func(c *client) {
		q := c.question("Message 0.")
		for i := range 100 {
			r := &Reply{Text: fmt.Sprintf("Answer %d.", i)}
			r.items = said(c.api, r.Text)
			c.goOn(q, r, c.api.user(texts(fmt.Sprintf("Message %d.", i+1))...))
		}
		c.ask(q)
	}}
	deepSchema = &Probe{name: "a deep schema", turns: answers(usualText), run: func(c *client) {
		q := c.question("Hi.")
		schema := any(object{"type": "string", "description": "the deepest"})
		for range 24 {
			schema = object{"type": "object", "properties": object{"a": schema}}
		}
		q.tools = []Tool{{"get_deep", "A deep tool.", schema}}
		c.ask(q)
	}}
)

// said returns the history entries of an answer that a client has stored earlier.
func said(a *api, text string) []any {
	switch a.name {
	case "messages":
		return []any{object{"type": "text", "text": text}}
	case "chat":
		return []any{object{"role": "assistant", "content": text}}
	case "responses":
		return []any{object{"type": "message", "role": "assistant",
			"content": []any{object{"type": "output_text",
				"text": text, "annotations": []any{}}}}}
	}
	return []any{object{"text": text}}
}

func init() {
	each := func(id, title, must, why string, s Severity, n need, p *Probe, judge func(r *Record),
		m Mutation) {
		addEach(template{id: "limits/" + id, title: title, must: must, why: why, source: apiDocs,
			since:    sinceAPI,
			severity: s, needs: n, probe: p, judge: judge, mutation: same(m)})
	}
	each("1.1", "a prompt of 700 KB", "all of it reaches the upstream",
		"agents send whole files; a limit of 100 KB or 1 MB in a proxy ends the session", Fails,
		upstream, bigProbe,
		func(r *Record) { r.got(0).holds(strings.TrimSuffix(bigText, " ")) },
		swapRequest(`no play\. +\(c`, "no. (c"))
	each("1.2", "an answer of 270 KB, plain", "all of it reaches the client", "long answers are cut",
		Fails, script,
		longAnswerPlain, says(longSaid), swap("brown fox", "red fox"))
	each("1.3", "an answer of 270 KB, streamed", "all of it reaches the client",
		"events above the buffer of a line reader (64 KB) are lost", Fails, script, longAnswerStream,
		says(longSaid),
		swap("brown fox", "red fox"))
	each("2.1", "odd characters reach the upstream", "no character is changed or lost",
		"names, code and pages of the web have them", Loses, upstream, oddProbe,
		func(r *Record) { r.got(0).holds(oddText) }, swapRequest("שלום", "shalom"))
	each("2.2", "odd characters reach the client", "no character is changed or lost",
		"names, code and pages of the web have them (CCR#198)", Loses, script, oddProbe, says(oddText),
		swap("ש", "s"))
	each("3.1", "200 messages", "all of them reach the upstream, in order", "long sessions of agents",
		Loses, upstream,
		manyMessages, func(r *Record) {
			g := r.got(0)
			for i := range 100 {
				g.ordered(fmt.Sprintf("Message %d.", i), fmt.Sprintf("Answer %d.", i),
					fmt.Sprintf("Message %d.", i+1))
			}
		}, swapRequest("Answer 50", "Answer fifty"))
	each("3.2", "a schema of 24 levels", "the deepest description reaches the upstream",
		"schemas of MCP servers are deep", Loses, upstream, deepSchema, carries(0, "the deepest"),
		swapRequest("the deepest", ""))

	conn := func(id, title, must, why string, s Severity, n need, p *Probe, judge func(r *Record),
		m Mutation) {
		addEach(template{id: "connection/" + id, title: title, must: must, why: why, source: same(sse),
			since:    sinceAPI,
			severity: s, needs: n, probe: p, judge: judge, mutation: same(m)})
	}
	conn("1.1", "an upstream that writes 7 bytes at a time", "the text is whole",
		"readers that parse each packet fail on the middle of an event or of a character (CCR#198)",
		Fails, script,
		slicedProbe, says(hello), swap("Zoë", "Zo"))
	conn("1.2", "an upstream that writes all events at once", "the text is whole",
		"readers that take one event of each packet lose the rest (bifrost#7440)", Fails, script,
		gluedProbe, says(hello),
		swap("Zoë", "Zo"))
	conn("1.3", "events end with CRLF", "the text is whole", "the standard allows CRLF", Loses, script,
		crlfProbe,
		says(hello), swap("Zoë", "Zo"))
	conn("1.4", "comments in the upstream's stream", "the text is whole, and the client's stream has no "+
		"half events",
		"OpenRouter and proxies keep connections open by comments", Fails, script, commentProbe, says(hello),
		swap("Zoë", "Zo"))
	conn("2.1", "a client that reads slowly", "all of a long answer arrives",
		"a full buffer loses events", Fails, script,
		slowProbe, says(longSaid), swap("brown fox", "red fox"))
	conn("2.2", "a client that leaves", "the upstream's connection is closed too",
		"the model goes on, and the user pays (litellm PR#31499, clodex#170)", Loses, upstream, leaveProbe,
		func(r *Record) { demand(r.Left, "a closed connection at the upstream", "an open one") },
		Mutation{request: func(w *wire) { w.hangs = true }})
	conn("2.3", "an upstream that does not close", "the client gets the end when the answer is complete",
		"clients wait until a timeout (bifrost PR#6799)", Fails, script, unendedProbe, says(hello),
		Mutation{request: func(w *wire) { w.hangs = true }, answer: func(*wire) {}})
	conn("3.1", "four conversations at once", "no answer goes to another client",
		"shared state mixes tenants (9router PR#2248)", Fails, script, crowdProbe, func(r *Record) {
			for i := range r.Replies {
				want := fmt.Sprintf("Answer for %d.", i)
				demand(r.ok(i).Text == want, want, r.Replies[i].Text)
			}
		}, swap(" for 2", " for 1"))
	conn("3.2", "a stream has the content type of events", "text/event-stream",
		"SDKs and browsers refuse others", Fails,
		form, textStream, func(r *Record) {
			kind := r.end().contentType()
			demand(kind == "text/event-stream", "content-type text/event-stream", kind)
		}, head("Content-Type", "application/json"))
	conn("3.3", "a stream ends with an empty line", "the last event is whole",
		"parsers drop the last event, with the end of the answer", Fails, form, textStream, func(r *Record) {
			text := string(r.end().Body)
			demand(strings.HasSuffix(text, "\n\n") || strings.HasSuffix(text, "\r\n\r\n"),
				"an empty line at the end",
				tail([]byte(text)))
		}, Mutation{answer: func(w *wire) { w.body = []byte(strings.TrimRight(string(w.body), "\n")) }})
	conn("3.4", "a stream has only events and comments", "each line is a field of the standard",
		"strict parsers stop at other lines (OmniRoute PR#1146)", Fails, form, textStream, func(r *Record) {
			for line := range lines(r.end().Body) {
				name, _ := field(line)
				demand(contains([]string{"", "event", "data", "id", "retry"}, name),
					"a field of an event", line)
			}
		}, ahead("", "keepalive\n\n"))
	conn("3.5", "each event is one line of JSON", "data is JSON, or [DONE] in Chat",
		"openai-go, openai-node and genai parse each event", Fails, form, textStream, func(r *Record) {
			for _, e := range r.events() {
				if e.Data != "[DONE]" || r.Client != "chat" {
					decode("data", []byte(e.Data)).object()
				}
			}
		}, ahead("", "data: [PING]\n\n"))
}

var (
	helloTurn = vendors.Turn{Text: hello, Usage: usualUsage}
	slicedOf  = func(t turn) *Probe {
		return &Probe{run: textStream.run, turns: func(string) []*turn { t := t; return []*turn{&t} }}
	}
	withName    = func(name string, p *Probe) *Probe { p.name = name; return p }
	slicedProbe = withName("7 bytes at a time", slicedOf(turn{Turn: helloTurn, sliced: true}))
	gluedProbe  = withName("all events at once", slicedOf(turn{Turn: helloTurn, glued: true}))
	crlfProbe   = withName("CRLF", slicedOf(turn{Turn: helloTurn, change: func(body, _ string) string {
		return strings.ReplaceAll(body, "\n", "\r\n")
	}}))
	commentProbe = withName("comments", slicedOf(turn{Turn: helloTurn, change: func(body,
		upstream string) string {
		ping := ": OPENROUTER PROCESSING\n\n"
		if upstream == "messages" {
			ping = "event: ping\ndata: {\"type\":\"ping\"}\n\n"
		}
		first, rest, _ := strings.Cut(body, "\n\n")
		return first + "\n\n" + ping + rest
	}}))
	unendedProbe = &Probe{name: "an upstream that does not close", turns: func(string) []*turn {
		return []*turn{{Turn: helloTurn, unended: true}}
	}, run: func(c *client) {
		c.pieces(by[string]{`"message_stop"`, "[DONE]", `"response.completed"`, `"finishReason"`}.of(c.api))
	}}

	slowProbe = &Probe{name: "a slow reader", turns: longAnswerStream.turns, run: func(c *client) {
		c.pieces("")
	}}
	leaveProbe = &Probe{name: "a client that leaves", turns: func(string) []*turn {
		return []*turn{{Turn: helloTurn, hold: true}}
	}, run: func(c *client) {
		q := c.question("Tell me a long story.")
		q.stream = true
		ctx, leave := context.WithCancel(c.ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = c.try(ctx, http.MethodPost, c.api.path(c.prefix, q.model, true), c.api.head(c.target.Key),
				[]byte(encode(c.api.body(q))))
		}()
		defer leave()
		select {
		case <-c.session.began:
		case <-done:
			panic(&fault{"a request at the upstream", "none"})
		}
		leave()
		<-done
		patience, cancel := context.WithTimeout(c.ctx, c.patience/2)
		defer cancel()
		select {
		case <-c.session.left:
			c.record.Left = true
		case <-patience.Done():
		}
	}}
	crowdProbe = &Probe{name: "four conversations at once", turns: func(string) (all []*turn) {
		return nil
	}, run: func(c *client) {
		var group sync.WaitGroup
		replies := make([]*Reply, 4)
		for i := range replies {
			mark := newMark()
			c.session.upstream.begin(c.ctx, mark, &Probe{turns: answers(&vendors.Turn{
				Text: fmt.Sprintf("Answer for %d.", i), Usage: usualUsage})})
			defer c.session.upstream.end(mark)
			own := *c
			own.mark, own.record = mark, &Record{}
			group.Go(func() {
				defer func() { _ = recover() }() // no answer: judged as a missing one
				q := own.question("Who am I?")
				q.stream = true
				replies[i] = own.ask(q)
			})
		}
		group.Wait()
		for _, r := range replies {
			if r == nil {
				panic(&fault{"four answers", "no answer to one of them"})
			}
		}
		c.record.Replies = replies
	}}
)

// pieces asks for a stream and reads it in small pieces, until a text has come, or to its end.
func (c *client) pieces(until string) {
	q := c.question("Tell me a long story.")
	q.stream = true
	ctx, cancel := context.WithTimeout(c.ctx, c.patience)
	defer cancel()
	path := c.api.path(c.prefix, q.model, true)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target.URL+path,
		strings.NewReader(encode(c.api.body(q))))
	if err != nil {
		panic(&fault{"a request", err.Error()})
	}
	for name, v := range c.api.head(c.target.Key) {
		request.Header.Set(name, v)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := transport.RoundTrip(request)
	if err != nil {
		panic(c.missing(http.MethodPost, path, err))
	}
	defer response.Body.Close()
	r := &Reply{Status: response.StatusCode, Header: response.Header, Stream: true}
	seen := false
	for small := make([]byte, 512); len(r.Body) < maxBody; {
		n, err := response.Body.Read(small)
		r.Body = append(r.Body, small[:n]...)
		if ctx.Err() != nil {
			panic(c.missing(http.MethodPost, path, ctx.Err()))
		}
		if err != nil {
			if err != io.EOF {
				r.Broken = err
			}
			break
		}
		from := max(0, len(r.Body)-n-len(until))
		seen = seen || until != "" && bytes.Contains(r.Body[from:], []byte(until))
		if seen && bytes.HasSuffix(r.Body, []byte("\n\n")) {
			break
		}
	}
	c.clean(r)
	c.read(r)
	c.record.Replies = append(c.record.Replies, r)
}
