package record

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"golang.org/x/tools/txtar"

	"edgelingua/translator"
	"edgelingua/worker/endpoint"
)

// summary is a recording in the list of the page.
type summary struct {
	Name   string `json:"name"`
	Time   string `json:"time,omitempty"` // RFC 3339
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	Model  string `json:"model,omitempty"`
	Status int    `json:"status,omitempty"`
	Millis int    `json:"ms,omitempty"`
}

// shown is a recording for the page: the client's side, and a side for each upstream request.
type shown struct {
	summary
	Lost  []string `json:"lost,omitempty"` // fields of the request, lost in translation
	Notes []string `json:"notes,omitempty"`
	Sides []*side  `json:"sides"`          // the client's side first
	More  int      `json:"more,omitempty"` // number of upstream requests without a side
	// the client's request asks a model for an answer, so Try it can repeat the request
	Again bool `json:"again,omitempty"`
}

// side is a request and its answer. Protocol is "" for a request to a server without a model, such as
// for a webpage.
type side struct {
	Protocol string  `json:"protocol"`
	Request  message `json:"request"`
	Status   int     `json:"status,omitempty"` // 0: no answer
	Answer   message `json:"answer"`
}

type message struct {
	Head   string `json:"head,omitempty"`
	Body   string `json:"body,omitempty"`
	Bytes  int    `json:"bytes,omitempty"` // of the whole body
	Cut    bool   `json:"cut,omitempty"`   // Body is only the beginning
	Stream bool   `json:"stream,omitempty"`
	Times  string `json:"times,omitempty"` // lines of milliseconds and bytes, of a stream
}

// Limits on what the page gets of a recording.
const (
	mostSides  = 20
	mostText   = 512 << 10 // bytes of one body
	mostShown  = 4 << 20   // bytes of all bodies
	mostModel  = 100       // bytes of a model's name
	mostNotes  = 50
	longLine   = 1000 // bytes of a note or a path
	mostHead   = 16 << 10
	mostTiming = 256 << 10
)

var firstLine = regexp.MustCompile(`^Recorded on (\S+): ([A-Z]+) (.*), answered (\d+) after (\d+) ms\.`)

// summaryOf reads the summary from the beginning of a file: without the model if the model is named
// later in the file.
func summaryOf(name string, archive *txtar.Archive) summary {
	s := summary{Name: name}
	line, _, _ := strings.Cut(string(archive.Comment), "\n")
	if m := firstLine.FindStringSubmatch(line); m != nil {
		s.Time, s.Method, s.Path = m[1], m[2], short(m[3], longLine)
		s.Status, _ = strconv.Atoi(m[4])
		s.Millis, _ = strconv.Atoi(m[5])
	}
	path := ""
	for _, f := range archive.Files {
		kind, rest, _ := strings.Cut(f.Name, ".")
		protocol, form, _ := strings.Cut(rest, ".")
		client := translator.API(protocol)
		switch {
		case kind != "request" || client == nil || !client.HasClients():
		case form == "path":
			path = strings.TrimSpace(string(f.Data))
		case form == "json":
			s.Model = short(cmp.Or(client.Client.Model(path, ""),
				gjson.GetBytes(f.Data, "model").String()), mostModel)
		}
	}
	return s
}

// shownOf reads a whole file.
func shownOf(name string, file []byte) *shown {
	archive := txtar.Parse(file)
	x := &shown{summary: summaryOf(name, archive)}
	lines := bytes.Split(bytes.TrimSpace(archive.Comment), []byte("\n"))
	for _, line := range lines[min(len(lines), 1):] {
		if len(x.Notes) < mostNotes && !isHint(string(line)) {
			x.Notes = append(x.Notes, short(string(line), longLine))
		}
	}
	r := reader{client: &side{}, room: mostShown}
	for _, f := range archive.Files {
		r.section(f.Name, string(f.Data))
	}
	r.close(string(archive.Comment))
	x.Sides, x.Again = append([]*side{r.client}, r.calls...), r.again
	if n := len(x.Sides) - mostSides; n > 0 {
		x.Sides, x.More = x.Sides[:mostSides], n
	}
	for line := range strings.Lines(r.client.Answer.Head) {
		if lost, ok := strings.CutPrefix(strings.TrimSpace(line), "x-edgelingua-lost: "); ok {
			x.Lost = strings.FieldsFunc(lost, func(c rune) bool { return c == ',' || c == ' ' })
		}
	}
	return x
}

// isHint reports whether a line of the comment is about the file itself: see scenario.
func isHint(line string) bool {
	return line == "" || strings.HasPrefix(line, "edgelingua replay reads this file.") ||
		strings.HasPrefix(line, "received and answered.")
}

// reader reads the sections of a recording.
type reader struct {
	client *side
	calls  []*side
	answer *txtar.File // the section upstream: the answer of a call without its own body
	again  bool
	room   int // bytes of bodies that may still be shown
}

// section reads a section; unknown names, not written by scenario, are skipped.
func (r *reader) section(name, text string) {
	parts := strings.Split(name, ".")
	part := parts[len(parts)-1]
	switch kind := parts[0]; {
	case kind == "request" && part == "json" && len(parts) == 3:
		r.client.Protocol, r.again = parts[1], true
		r.body(&r.client.Request, text)
	case kind == "upstream" && (part == "json" || part == "sse") && len(parts) == 3:
		r.answer = &txtar.File{Name: parts[1], Data: []byte(text)}
	case kind == "asked":
		r.part(&r.client.Request, part, text)
	case kind == "answered":
		r.client.answered(part, text)
		r.part(&r.client.Answer, part, text)
	case kind == "sent" && part == "head":
		c := &side{}
		r.part(&c.Request, part, text)
		_, url, _ := strings.Cut(strings.SplitN(text, "\n", 2)[0], " ")
		if api, _ := upstreamOf(url); api != nil {
			c.Protocol = api.Name
		}
		r.calls = append(r.calls, c)
	case len(r.calls) == 0:
	case kind == "sent":
		r.part(&r.calls[len(r.calls)-1].Request, part, text)
	case kind == "received":
		c := r.calls[len(r.calls)-1]
		c.answered(part, text)
		r.part(&c.Answer, part, text)
	}
}

// answered reads the status of an answer's head.
func (s *side) answered(part, text string) {
	if part == "head" {
		line, _, _ := strings.Cut(text, "\n")
		s.Status, _ = strconv.Atoi(line)
		s.Answer.Stream = strings.Contains(text, "\ncontent-type: text/event-stream")
	}
}

func (r *reader) part(m *message, part, text string) {
	switch part {
	case "head":
		m.Head = short(text, mostHead)
	case "body":
		r.body(m, text)
	case "times":
		m.Times = short(text, mostTiming)
	}
}

func (r *reader) body(m *message, text string) {
	m.Bytes = len(text)
	m.Body = short(text, min(mostText, r.room))
	m.Cut = len(m.Body) < m.Bytes
	r.room -= len(m.Body)
}

// close gives the section upstream to its call: the last answered call of the protocol, unless comment
// has a note that there was no room for the call's body.
func (r *reader) close(comment string) {
	for i := len(r.calls) - 1; r.answer != nil && i >= 0; i-- {
		missing := strings.Contains(comment, fmt.Sprintf("\nreceived.%d.body is not here: ", i+1))
		if c := r.calls[i]; c.Status != 0 && c.Protocol == r.answer.Name && !missing {
			r.body(&c.Answer, string(r.answer.Data))
			r.answer = nil
		}
	}
	if r.client.Protocol == "" {
		r.client.Protocol = clientOf(r.client.Request.Head)
	}
}

// clientOf returns the protocol of a client from the head of its request.
func clientOf(head string) string {
	line, _, _ := strings.Cut(head, "\n")
	_, path, _ := strings.Cut(line, " ")
	path, _, _ = strings.Cut(path, "?")
	return endpoint.Client(path, func(string) string { return "" }).Name
}

// short returns the beginning of a text, at most n bytes, and no half of a character.
func short(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}
