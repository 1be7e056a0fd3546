// Package golden reads and writes the sections of a scenario with the translator's results.
//
// A file is shorter than the values of its sections, so a reviewer sees only the differences:
//
//   - JSON has one top-level member per line, and a list of objects has one element per line
//     (Layout).
//   - A Response leaves out the members with their usual values (response.go), and an answer to
//     Gemini clients an empty usageMetadata.
//   - The plain body of a client is left out if the client's stream has the same content (Plain).
//
// Values returns every section with the bytes that the translator must produce. JSON in them is
// compact: only whitespace is lost. The package imports nothing from the translator, so tests of
// any package there can import it.
package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"
)

// IsGiven reports whether the scenario's author writes the section. The translator makes all
// others.
func IsGiven(section string) bool {
	switch part := strings.Split(section, "."); part[0] {
	case "config":
		return true
	case "request":
		return len(part) == 3
	case "upstream":
		return len(part) == 3 && part[2] != "lost" && part[2] != "refused" && part[2] != "loop"
	}
	return false
}

// Values returns the values of all sections that the translator makes, by name, including the plain
// bodies that the file leaves out. A stream without a plain body in the file counts as both.
func Values(archive *txtar.Archive) (map[string][]byte, error) {
	values := map[string][]byte{}
	for _, f := range archive.Files {
		if IsGiven(f.Name) {
			continue
		}
		value, err := Value(f.Name, f.Data)
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", f.Name, err)
		}
		values[f.Name] = value
	}
	for name, stream := range values {
		client, isStream := strings.CutSuffix(name, ".sse")
		if !isStream || values[client+".json"] != nil {
			continue
		}
		body, err := Plain(client, stream)
		if err != nil {
			return nil, fmt.Errorf("section %s states no plain body: %w", name, err)
		}
		values[client+".json"] = body
	}
	return values, nil
}

// uncounted is the end of the candidates in an answer to Gemini clients without counts of tokens. A
// file has chunkEnd instead.
const (
	uncounted = `}],"usageMetadata":{},"modelVersion":`
	chunkEnd  = `}],"modelVersion":`
)

// Text returns the text in a file for the value of a section. Value is its inverse.
func Text(section string, value []byte) (text []byte, err error) {
	if strings.HasPrefix(section, "gemini.") {
		value = bytes.ReplaceAll(value, []byte(uncounted), []byte(chunkEnd))
	}
	switch {
	case section == "responses.sse":
		text, err = eachResponse(value, shortened)
	case section == "responses.json":
		if value, err = compact(value); err == nil {
			value, err = shortened(value)
		}
		text = Layout(value)
	case strings.HasSuffix(section, ".json"):
		value, err = compact(value)
		text = Layout(value)
	default:
		text = bytes.Clone(value)
	}
	if err != nil {
		return nil, err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text, nil
}

// Value returns the value of a section for its text in a file. The value may share memory with
// text.
func Value(section string, text []byte) (_ []byte, err error) {
	switch {
	case section == "responses.sse":
		return eachResponse(text, completed)
	case section == "responses.json":
		value, err := compact(text)
		if err != nil {
			return nil, err
		}
		return completed(value)
	case strings.HasSuffix(section, ".json"):
		if text, err = compact(text); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(section, "gemini.") {
		text = bytes.ReplaceAll(text, []byte(chunkEnd), []byte(uncounted))
	}
	return text, nil
}

func compact(text []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
