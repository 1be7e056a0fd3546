package access

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Style is the form of a line.
type Style int

const (
	JSON   Style = iota // one JSON object per line
	Plain               // text, for people
	Colour              // text in colour, for people at a terminal
)

// append appends the line of an entry, including the line feed.
func (s Style) append(dst []byte, e *Entry) []byte {
	if s == JSON {
		line, err := json.Marshal(e)
		if err != nil {
			panic(err) // can't happen: every Entry can be encoded as JSON
		}
		return append(append(dst, escaped(line)...), '\n')
	}
	text := strings.Map(shown, e.text())
	if s == Colour {
		text = strings.Replace(text, e.status(), e.colour()+e.status()+"\x1b[0m", 1)
	}
	return append(append(dst, text...), '\n')
}

// status returns the status between two spaces. The spaces make the status the first match in a
// line, so only the status is coloured.
func (e *Entry) status() string { return fmt.Sprintf(" %d ", e.Status) }

func (e *Entry) colour() string {
	switch {
	case e.Status >= 500 || e.Error != "" && e.Status < 400:
		return "\x1b[31m"
	case e.Status >= 400 || e.Aborted:
		return "\x1b[33m"
	}
	return "\x1b[32m"
}

// text returns the entry as text, with the time in the local zone.
func (e *Entry) text() string {
	at, _ := time.Parse(time.RFC3339, e.Time)
	parts := []string{fmt.Sprintf("%s%s%s %s", at.Local().Format("15:04:05"), e.status(), e.Method, e.Path)}
	say := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if e.Socket {
		say("WebSocket")
	}
	if e.Pair != "" {
		say("%s", e.Pair)
	}
	if e.Upstream != "" {
		say("at %s", e.Upstream)
	}
	switch {
	case e.UpstreamModel != "":
		say("%s as %s", e.Model, e.UpstreamModel)
	case e.Model != "":
		say("%s", e.Model)
	}
	if e.Tokens != nil {
		say("%s", e.Tokens)
	}
	if e.Searches > 0 {
		say("searches %d", e.Searches)
	}
	if e.Fetches > 0 {
		say("pages %d", e.Fetches)
	}
	if e.Cost != nil {
		say("%.6g USD", *e.Cost)
	}
	if e.FirstByte != nil {
		say("%v ms, first byte %v", e.Total, *e.FirstByte)
	} else {
		say("%v ms", e.Total)
	}
	if len(e.Lost) > 0 {
		say("lost %s", strings.Join(e.Lost, " "))
	}
	if e.UnknownModel {
		say("unknown model")
	}
	if e.GatewayCache != "" {
		say("gateway's cache: %s", e.GatewayCache)
	}
	if e.Loop != "" {
		say("loop of %s", e.Loop)
	}
	if e.Cut > 0 {
		say("cut %d bytes of tools", e.Cut)
	}
	if e.Error != "" {
		say("%s", e.Error)
	}
	if e.Aborted {
		say("client left")
	}
	return strings.Join(append(parts, e.ID), "  ")
}

// String returns the tokens as text.
func (t *Tokens) String() string {
	var parts []string
	for _, count := range []struct {
		name string
		n    *int64
	}{{"in", t.Input}, {"cached", t.Cached}, {"out", t.Output}, {"reasoning", t.Reasoning},
		{"summary", t.Summary}, {"advice", t.Advice}} {
		if count.n != nil {
			parts = append(parts, fmt.Sprintf("%d %s", *count.n, count.name))
		}
	}
	return "tokens " + strings.Join(parts, ", ")
}
