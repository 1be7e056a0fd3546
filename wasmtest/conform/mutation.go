package conform

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// Mutation is a way for a server to be wrong. Each case has one, and fails on it.
type Mutation struct {
	request func(w *wire) // changes a request on its way to the upstream
	answer  func(w *wire) // changes an answer on its way to the client
}

// wire is a message on its way. n is the number of the request in its conversation, from 0.
type wire struct {
	n      int
	method string
	path   string
	header http.Header
	status int
	body   []byte
	broken bool // the connection breaks after the body
	hangs  bool // the upstream is not told that the client left
}

// swap replaces all texts that match a regular expression in answers.
func swap(pattern, by string) Mutation {
	re := regexp.MustCompile(pattern)
	return Mutation{answer: func(w *wire) { w.body = re.ReplaceAll(w.body, []byte(by)) }}
}

// first replaces only the first text in an answer.
func first(pattern, by string) Mutation {
	re := regexp.MustCompile(pattern)
	return Mutation{answer: func(w *wire) {
		if at := re.FindSubmatchIndex(w.body); at != nil {
			out := re.Expand(append([]byte{}, w.body[:at[0]]...), []byte(by), w.body, at)
			w.body = append(out, w.body[at[1]:]...)
		}
	}}
}

// swapRequest replaces all texts that match a regular expression in requests.
func swapRequest(pattern, by string) Mutation {
	re := regexp.MustCompile(pattern)
	return Mutation{request: func(w *wire) { w.body = re.ReplaceAll(w.body, []byte(by)) }}
}

// laterRequest replaces in all requests of a conversation except the first.
func laterRequest(pattern, by string) Mutation {
	m := swapRequest(pattern, by)
	return Mutation{request: func(w *wire) {
		if w.n > 0 {
			m.request(w)
		}
	}}
}

// without removes the events of a stream whose text matches a regular expression.
func without(pattern string) Mutation {
	re := regexp.MustCompile(pattern)
	return events(func(event []byte) [][]byte {
		if re.Match(event) {
			return nil
		}
		return [][]byte{event}
	})
}

// twice repeats the events of a stream whose text matches a regular expression.
func twice(pattern string) Mutation {
	re := regexp.MustCompile(pattern)
	return events(func(event []byte) [][]byte {
		if re.Match(event) {
			return [][]byte{event, event}
		}
		return [][]byte{event}
	})
}

// ahead puts a text before the first event that matches a regular expression.
func ahead(pattern, text string) Mutation {
	re, done := regexp.MustCompile(pattern), false
	return Mutation{answer: func(w *wire) {
		done = false
		events(func(event []byte) [][]byte {
			if !done && re.Match(event) {
				done = true
				return [][]byte{[]byte(text), event}
			}
			return [][]byte{event}
		}).answer(w)
	}}
}

func events(change func(event []byte) [][]byte) Mutation {
	return Mutation{answer: func(w *wire) {
		var out []byte
		for _, event := range bytes.SplitAfter(w.body, []byte("\n\n")) {
			if len(event) == 0 {
				continue
			}
			out = append(out, bytes.Join(change(event), nil)...)
		}
		w.body = out
	}}
}

// lacking removes a member, at any depth, from the JSON of answers.
func lacking(name string) Mutation {
	return Mutation{answer: func(w *wire) {
		w.body = eachJSON(w.body, func(v any) any {
			return strip(v,
				name)
		})
	}}
}

// lackingRequest removes a member, at any depth, from the JSON of requests.
func lackingRequest(name string) Mutation {
	return Mutation{request: func(w *wire) {
		w.body = eachJSON(w.body, func(v any) any { return strip(v, name) })
	}}
}

func strip(v any, name string) any {
	switch v := v.(type) {
	case object:
		delete(v, name)
		for key, inner := range v {
			v[key] = strip(inner, name)
		}
	case []any:
		for i := range v {
			v[i] = strip(v[i], name)
		}
	}
	return v
}

// eachJSON changes each JSON value of a body or of a stream.
func eachJSON(body []byte, change func(v any) any) []byte {
	var v any
	if json.Unmarshal(body, &v) == nil {
		return []byte(encode(change(v)))
	}
	lines := strings.SplitAfter(string(body), "\n")
	for i, line := range lines {
		text, ok := strings.CutPrefix(line, "data: ")
		if ok && json.Unmarshal([]byte(text), &v) == nil {
			lines[i] = "data: " + encode(change(v)) + "\n"
		}
	}
	return []byte(strings.Join(lines, ""))
}

// status changes the status of answers.
func status(code int) Mutation { return Mutation{answer: func(w *wire) { w.status = code }} }

// head sets a header of answers; the value "" removes the header.
func head(name, v string) Mutation {
	return Mutation{answer: func(w *wire) {
		if v == "" {
			w.header.Del(name)
		} else {
			w.header.Set(name, v)
		}
	}}
}

// body replaces the body of answers.
func body(text string) Mutation { return Mutation{answer: func(w *wire) { w.body = []byte(text) }} }
