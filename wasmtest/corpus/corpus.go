// Package corpus reads the golden corpus, translator/testdata, and turns it into cases for a
// running worker.
//
// A scenario is one txtar file with these sections:
//
//	-- config --                        settings of the endpoint that differ from the default
//	-- request.<client>.path --         the path of the request, if the protocol's paths vary
//	-- request.<client>.json --         the client's request
//	-- upstream.<protocol>.head --      the status of the upstream's answer, if it is not 200
//	-- upstream.<protocol>.sse|json --  the upstream's answer, unless the scenario is about the
//	                                    request only
//
// All other sections are the expected results of the native translator. TestCorpus of package
// translator compares and updates them. Package golden defines their form in the file and which
// ones are left out. Cases returns the expected behaviour of a worker, byte for byte.
package corpus

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"

	"edgelingua/wasmtest/corpus/golden"
)

// Protocols has the names of all protocols with a client side, in the order of the sections.
var Protocols = []string{"anthropic", "chat", "responses", "gemini", "interactions"}

// Received is the time of every request of the corpus, in seconds since 1970.
const Received = 1_700_000_000

// Scenario is one file of the corpus.
type Scenario struct {
	Name     string // path below the corpus' folder, without the extension
	Archive  *txtar.Archive
	Client   string  // the client's protocol
	Path     string  // of the client's request
	Request  []byte  // the client's body
	Upstream string  // the upstream's protocol; "" without an Answer
	Answer   *Answer // nil if the scenario is about the request
	config   config
}

// Answer is an upstream's answer.
type Answer struct {
	Status int    `json:"status"`
	SSE    bool   `json:"sse"` // Body is an SSE stream, not JSON
	Body   []byte `json:"body"`
}

// ContentType returns the value of the answer's header content-type.
func (a *Answer) ContentType() string {
	if a.SSE {
		return "text/event-stream"
	}
	return "application/json"
}

// Load reads all scenarios below folder, sorted by name.
func Load(folder string) (scenarios []*Scenario, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		s, err := Parse(strings.TrimSuffix(filepath.ToSlash(name), ".txtar"), text)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		scenarios = append(scenarios, s)
		return nil
	})
	return scenarios, err
}

// Parse reads a scenario from the text of its file. It retains text.
func Parse(name string, text []byte) (*Scenario, error) {
	s := &Scenario{Name: name, Archive: txtar.Parse(text)}
	for _, f := range s.Archive.Files {
		if !golden.IsGiven(f.Name) {
			continue
		}
		if err := s.take(f.Name, f.Data); err != nil {
			return nil, fmt.Errorf("section %s: %w", f.Name, err)
		}
	}
	switch {
	case s.Request == nil:
		return nil, fmt.Errorf("no section request.<client>.json")
	case s.Path == "":
		s.Path = Path(s.Client, "m", false)
	}
	return s, nil
}

// take reads a section that the author of the file wrote.
func (s *Scenario) take(name string, data []byte) (err error) {
	part := strings.Split(name, ".")
	switch part[0] {
	case "config":
		s.config, err = readConfig(data)
		return err
	case "request":
		if s.Client = part[1]; part[2] == "path" {
			s.Path = strings.TrimSpace(string(data))
		} else {
			s.Request = data
		}
		return nil
	}
	s.Upstream = part[1]
	if s.Answer == nil {
		s.Answer = &Answer{Status: 200}
	}
	if part[2] == "head" {
		_, err = fmt.Sscan(string(data), &s.Answer.Status)
		return err
	}
	s.Answer.SSE, s.Answer.Body = part[2] == "sse", data
	return nil
}
