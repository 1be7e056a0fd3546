// Package corpus reads the golden corpus, translator/testdata, and turns it into exchanges for a running worker.
//
// A scenario is one txtar file. It brings:
//
//	-- config --                        settings of the endpoint, where not the default
//	-- request.<client>.path --         the path that it sends that to, for protocols whose paths say more than what is asked for
//	-- request.<client>.json --         what the client sends
//	-- upstream.<protocol>.head --      the status of the answer, where not 200
//	-- upstream.<protocol>.sse|json --  what the upstream answers; a scenario without it is about the request
//
// All other sections are the expected results of the native translator, which the test of package
// translator compares and rewrites. Package golden says in which form a file has them, and which it
// leaves out. Exchanges says what a worker must do with a scenario, byte for byte.
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

// Protocols are the names of all protocols, in the order in which sections stand.
var Protocols = []string{"anthropic", "chat", "responses", "gemini"}

// Received is when every request of the corpus comes, in seconds since 1970.
const Received = 1_700_000_000

// Scenario is one file of the corpus.
type Scenario struct {
	Name     string // path below the corpus' folder, without the extension
	Archive  *txtar.Archive
	Client   string  // the protocol of the client that asks
	Path     string  // to which the client sends its body
	Request  []byte  // the client's body
	Upstream string  // the protocol of the upstream that answers; "" for a scenario without an answer
	Answer   *Answer // nil for a scenario that is about the request
	config   config
}

// Answer is an upstream's answer.
type Answer struct {
	Status int    `json:"status"`
	SSE    bool   `json:"sse"` // Body is an SSE stream; else it is JSON
	Body   []byte `json:"body"`
}

// ContentType returns the answer's header content-type.
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

// Parse reads a scenario from the text of its file.
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

// take takes the data of a section that the file brings.
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
