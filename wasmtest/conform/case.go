package conform

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Severity says what a failed case costs.
type Severity string

const (
	Fails Severity = "fails" // a client fails
	Loses Severity = "loses" // information is lost
	Style Severity = "style" // clients cope, but the vendor's servers never do this
)

// Case is one requirement.
type Case struct {
	ID       string // API/area/group.number; never changes its meaning
	Title    string // what is tested, in a few words
	Must     string // what must hold
	Why      string // who fails otherwise
	Source   string // a document, a type of an SDK, or a client and its version
	Since    string // the date since when the vendor's API has the feature; "" for an unknown date
	Severity Severity

	needs    need
	probe    *Probe
	judge    func(r *Record)
	mutation Mutation
}

// need says what a case needs to be judged.
type need uint8

const (
	form     need = iota // any answer of a server
	script               // an answer with known content
	upstream             // the requests that reached the upstream
)

// API returns the first part of the ID.
func (c *Case) API() string { return strings.SplitN(c.ID, "/", 3)[0] }

// Area returns the second part of the ID.
func (c *Case) Area() string { return strings.SplitN(c.ID, "/", 3)[1] }

// Areas has all areas, in the order of reports.
var Areas = []string{"cache", "plain", "stream", "tools", "reasoning", "structured", "media", "errors",
	"usage",
	"count", "models", "limits", "stored", "websocket", "compaction", "connection"}

var cases []*Case

// arranged has the cases ordered by API and area. The order inside an area is that of the sources.
var arranged = sync.OnceValue(func() []*Case {
	place := func(c *Case) int {
		return slices.IndexFunc(clients, func(a *api) bool { return a.name == c.API() })*len(Areas) +
			slices.Index(Areas, c.Area())
	}
	slices.SortStableFunc(cases, func(a, b *Case) int { return place(a) - place(b) })
	return cases
})

// Cases returns all cases, ordered by API and area. Callers must not change them.
func Cases() []*Case { return arranged() }

// Lookup returns the case with an ID, or nil.
func Lookup(id string) *Case {
	for _, c := range arranged() {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// Matches reports whether an ID is in the list: an ID itself, or the beginning of IDs up to a slash or
// a dot, such as "messages", "messages/stream" or "messages/stream/1". The part "*" stands for any
// part.
func Matches(id string, list []string) bool {
	for _, pattern := range list {
		if matches(strings.Split(id, "/"), strings.Split(strings.TrimRight(pattern, "/"), "/")) {
			return true
		}
	}
	return false
}

func matches(id, pattern []string) bool {
	if len(pattern) > len(id) {
		return false
	}
	for i, part := range pattern {
		if part != "*" && part != id[i] && !(i == 2 && strings.HasPrefix(id[i], part+".")) {
			return false
		}
	}
	return true
}

// Unknown returns the first pattern that matches no case, or "".
func Unknown(patterns []string) string {
	for _, pattern := range patterns {
		if !slices.ContainsFunc(arranged(), func(c *Case) bool { return Matches(c.ID, []string{pattern}) }) {
			return pattern
		}
	}
	return ""
}

// Explain returns all that is known about a case.
func (c *Case) Explain() string {
	needs := [...]string{"any server", "a scripted upstream (--upstream), which says what the answer has",
		"a scripted upstream (--upstream), which shows what it received"}
	since := cmp.Or(c.Since, "unknown: before the changelogs of the vendor's SDK")
	return fmt.Sprintf("%s: %s\n\n  must      %s\n  why       %s\n  source    %s\n  since     %s\n"+
		"  severity  %s\n  needs     %s\n", c.ID, c.Title, c.Must, c.Why, c.Source, since, c.Severity,
		needs[c.needs])
}

// add adds cases to the suite.
func add(more ...*Case) {
	cases = append(cases, more...)
}
