// Package golden reads and writes the sections of a scenario that hold the translator's results.
//
// A file writes less than the sections' values, so that a reviewer reads what differs:
//
//   - JSON has one top-level member per line, and a list of objects one element per line (Layout).
//   - A Response leaves out the members that have their usual values (response.go).
//   - The plain body of a client is left out where its stream says the same (Plain).
//
// Values returns every section with the bytes that the translator must produce. JSON is compact in
// them: only whitespace is lost. The package imports nothing of the translator, so the tests of
// each of its packages can use it.
package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"
)

// IsGiven reports whether a scenario's author writes the section; the translator makes the others.
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

// Values returns the values of all sections that the translator makes, by name. They include the
// plain bodies that the file leaves out: a stream without a plain body beside it stands for both.
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

// Text returns what a file writes for a section's value. Value is its inverse.
func Text(section string, value []byte) (text []byte, err error) {
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

// Value returns the value of a section from its text in a file.
func Value(section string, text []byte) ([]byte, error) {
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
		return compact(text)
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
