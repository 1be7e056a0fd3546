package record

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/host"
	"edgelingua/wasmtest/record/mask"
	"edgelingua/worker/endpoint"
)

// scenario returns the text of a recording's file: a scenario of the corpus, with additional
// sections for everything else. It fails if the recording has too many secrets to mask.
func (r *Recorder) scenario(x *recording) ([]byte, error) {
	path := host.LogPath(x.request)
	query, secrets := queryOf(x.request.URL.RawQuery)
	masker, err := mask.New(slices.Concat(x.secrets, r.known(), pathSecrets(x.request), secrets))
	if err != nil {
		return nil, err
	}
	p := &pen{most: r.bounds.Body, masker: masker}
	for _, c := range x.calls {
		p.note(c.failure != "", "The request to %s has failed: %s", c.url, c.failure)
		p.note(c.received.broken != "", "The upstream's answer broke off: %s", c.received.broken)
	}
	client := endpoint.Client(x.request.URL.Path, x.request.Header.Get)
	_, rest, _ := endpoint.Split(x.request.URL.Path)
	operation, _, _ := client.Route(rest)
	last, upstream, base := x.answer()
	if upstream != nil {
		p.write("config", r.settings(base))
	}
	if operation == ir.Converse {
		if strings.Contains(client.ConversePath(), "*") {
			p.write("request."+client.Name+".path", rest+query+"\n")
		}
		p.body("request."+client.Name+".json", &x.asked, x.request.Header)
	}
	if upstream != nil && operation == ir.Converse {
		if last.status != http.StatusOK {
			p.write("upstream."+upstream.Name+".head", fmt.Sprintln(last.status))
		}
		kind := ".json"
		if isStream(last.head) {
			kind = ".sse"
		}
		p.body("upstream."+upstream.Name+kind, &last.received, last.head)
	}
	p.write("asked.head", x.request.Method+" "+path+query+"\n"+headOf(x.request.Header))
	if operation != ir.Converse {
		p.body("asked.body", &x.asked, x.request.Header)
	}
	for i, c := range x.calls {
		n := fmt.Sprint(i + 1)
		p.write("sent."+n+".head", c.method+" "+c.url+"\n"+headOf(c.sentHead))
		p.body("sent."+n+".body", &c.sent, c.sentHead)
		if c.status == 0 {
			continue
		}
		p.write("received."+n+".head", fmt.Sprintln(c.status)+headOf(c.head))
		if c != last || operation != ir.Converse {
			p.body("received."+n+".body", &c.received, c.head)
		}
		p.times("received."+n+".times", &c.received, c.head)
	}
	p.write("answered.head", fmt.Sprintln(x.status)+headOf(x.head))
	p.body("answered.body", &x.answered, x.head)
	p.times("answered.times", &x.answered, x.head)
	for _, note := range x.notes {
		p.note(true, "%s", note)
	}
	p.note(host.OfSocket(x.request),
		"The request is a frame of a WebSocket, and so was the data of each event of the answer.")
	head := fmt.Sprintf("Recorded on %s: %s %s, answered %d after %d ms. Keys are masked as [key]; all "+
		"else is in the clear.\n",
		x.start.UTC().Format("2006-01-02T15:04:05.000Z"), x.request.Method, path, x.status,
		x.took.Milliseconds())
	if operation == ir.Converse {
		head += "edgelingua replay reads this file. In translator/testdata it is a scenario: go test " +
			"./translator -update drops the sections asked, sent,\n" +
			"received and answered.\n"
	}
	p.archive.Comment = []byte(p.text(head + strings.Join(p.notes, "") + "\n"))
	return txtar.Format(&p.archive), nil
}

// pathSecrets returns the key in the path of a request.
func pathSecrets(r *http.Request) []string {
	if address, _, _ := endpoint.Split(r.URL.Path); address.Key != "" {
		return []string{address.Key}
	}
	return nil
}

// answer returns the last call that requested an answer of a model and got one, its upstream's
// protocol, and the base URL of the call. c is nil if there is no such call.
func (x *recording) answer() (c *call, upstream *ir.API, base string) {
	for i := len(x.calls) - 1; i >= 0; i-- {
		c := x.calls[i]
		if c.status == 0 || c.received.over || c.method != http.MethodPost {
			continue
		}
		if api, base := upstreamOf(c.url); api != nil {
			return c, api, base
		}
	}
	return nil, nil, ""
}

// upstreamOf returns the protocol in which a URL asks a model for an answer, and the upstream's base
// URL; nil and "" for any other URL.
func upstreamOf(url string) (upstream *ir.API, base string) {
	address, _, _ := strings.Cut(url, "?")
	for _, api := range translator.APIs {
		for _, stream := range []bool{false, true} {
			if base, ok := baseOf(address, api.Upstream.Path("*", stream)); ok {
				return api, base
			}
		}
	}
	return nil, ""
}

// baseOf returns address without path at its end, and whether address ends with path. A "*" in path
// matches the name of a model.
func baseOf(address, path string) (base string, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	lead, end, named := strings.Cut(path, "*")
	base, ok = strings.CutSuffix(address, end)
	if !named {
		return strings.CutSuffix(address, path)
	}
	at := strings.LastIndex(base, lead)
	if at < 0 || strings.Contains(base[at+len(lead):], "/") {
		return "", false
	}
	return base[:at], ok
}

func isStream(head http.Header) bool {
	return strings.HasPrefix(head.Get("Content-Type"), "text/event-stream")
}

// settings returns the section config: the upstream's base URL, and for the deployment's own
// endpoint its settings. Settings of a personal endpoint are only in its stored record, and are
// left out.
func (r *Recorder) settings(base string) string {
	config := map[string]any{"upstream_url": base}
	if r.config.Endpoint == "" {
		for member, name := range map[string]string{"models": "MODELS", "options": "OPTIONS",
			"upstream_options": "UPSTREAM_OPTIONS"} {
			if v := r.config.Settings[name]; json.Valid([]byte(v)) {
				config[member] = json.RawMessage(v)
			}
		}
	}
	text, err := json.Marshal(config)
	if err != nil {
		panic(err) // can't happen: only strings and valid JSON
	}
	return string(text) + "\n"
}

// pen writes the sections of a file, without secrets.
type pen struct {
	most    int64 // bytes of a body
	archive txtar.Archive
	masker  *mask.Masker
	notes   []string
}

func (p *pen) text(s string) string { return p.masker.Text(s) }

func (p *pen) note(is bool, format string, args ...any) {
	if is {
		p.notes = append(p.notes, strings.Map(inLine, fmt.Sprintf(format, args...))+"\n")
	}
}

func (p *pen) write(section, text string) { p.add(section, p.text(text)) }

// body writes a body, or a note in its place. An empty body has no section.
func (p *pen) body(section string, t *tape, head http.Header) {
	body, missing := t.text(head, p.most)
	p.note(missing != "", "%s is not here: %s.", section, missing)
	switch {
	case body == "":
	case isStream(head):
		p.add(section, p.masker.Stream(body))
	default:
		p.add(section, p.text(body))
	}
}

// times writes when each piece of a stream arrived.
func (p *pen) times(section string, t *tape, head http.Header) {
	if isStream(head) {
		p.write(section, t.times())
	}
}

// add adds a section. A line that would begin a new section is indented by a space. Neither JSON
// nor an event has such a line.
func (p *pen) add(section, text string) {
	if strings.HasPrefix(text, "-- ") || strings.Contains(text, "\n-- ") {
		text = strings.TrimPrefix(strings.ReplaceAll("\n"+text, "\n-- ", "\n -- "), "\n")
		p.note(true, "%s: a space stands before lines that begin with two hyphens.", section)
	}
	p.note(text != "" && !strings.HasSuffix(text, "\n") && strings.Contains(text, "\n"),
		"%s did not end with a line feed.", section)
	p.archive.Files = append(p.archive.Files, txtar.File{Name: section, Data: []byte(text)})
}
