package conform

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Reports is what one command has done: a report for each upstream, or only one.
type Reports []*Report

// OK reports whether in each report a case passed, and no case failed.
func (all Reports) OK() bool {
	return !slices.ContainsFunc(all, func(r *Report) bool { return !r.OK })
}

// counts adds the counts of the reports.
func (all Reports) counts() (sum map[State]int, ms float64) {
	sum = map[State]int{}
	for _, r := range all {
		for state, n := range r.Counts {
			sum[state] += n
		}
		ms += r.MS
	}
	return sum, ms
}

// Document is the JSON of a run.
type Document struct {
	Suite   int           `json:"suite"` // version of this schema
	OK      bool          `json:"ok"`
	MS      float64       `json:"ms"`
	Counts  map[State]int `json:"counts"`
	Reports Reports       `json:"reports"`
}

// JSON writes one object: a Document.
func (all Reports) JSON(w io.Writer) error {
	counts, ms := all.counts()
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(Document{1, all.OK(), ms, counts, all})
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Error   *junitFailure `xml:"error,omitempty"`
	Skipped *junitFailure `xml:"skipped,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes the results as JUnit's XML, with a suite for each upstream.
func (all Reports) JUnit(w io.Writer) error {
	var suites junitSuites
	for _, r := range all {
		s := junitSuite{Name: r.title(), Tests: len(r.Results), Failures: r.Counts[Failed],
			Skipped: r.Counts[Skipped] + r.Counts[Absent], Time: fmt.Sprintf("%.3f", r.MS/1000)}
		for _, x := range r.Results {
			c := junitCase{Name: x.ID + ": " + x.Title, Class: x.pair()}
			switch x.State {
			case Failed:
				c.Failure = &junitFailure{"expected " + x.Expected, string(x.Severity), "got " +
					x.Got}
			case Skipped, Absent:
				c.Skipped = &junitFailure{Message: x.Note}
			}
			s.Cases = append(s.Cases, c)
		}
		if r.Stopped != "" {
			s.Tests++
			s.Errors++
			s.Cases = append(s.Cases, junitCase{Name: "the run", Class: r.title(),
				Error: &junitFailure{Message: r.Stopped}})
		}
		suites.Suites = append(suites.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(suites); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// title names a report: the upstream, or the server.
func (r *Report) title() string {
	if len(r.Results) > 0 && r.Results[0].Upstream != "" {
		return "upstream " + r.Results[0].Upstream
	}
	return "server"
}

// pair names the client's API and the upstream of a result.
func (x *Result) pair() string {
	if x.Upstream == "" {
		return x.Client
	}
	return x.Client + "/" + x.Upstream
}

// Badge writes a badge as SVG: the number of passed cases of those that were judged.
func (all Reports) Badge(w io.Writer) error {
	counts, _ := all.counts()
	judged := counts[Passed] + counts[Failed]
	text, colour := fmt.Sprintf("%d of %d", counts[Passed], judged), "#2e7d32"
	if !all.OK() {
		colour = "#c62828"
	}
	width := 7*len(text) + 14
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="20" role="img" `+
		`aria-label="conformance: %s"><rect width="90" height="20" fill="#444"/>`+
		`<rect x="90" width="%d" height="20" fill="%s"/>`+
		`<g fill="#fff" font-family="Verdana,sans-serif" font-size="11"><text x="7" y="14">conformance`+
		"</text><text x=\"97\" y=\"14\">%s</text></g></svg>\n", 90+width, text, width, colour, text)
	return err
}

// Plain returns a text of a server in one line, without characters that control a terminal.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, text)
}
