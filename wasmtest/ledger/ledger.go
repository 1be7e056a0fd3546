// Package ledger has the loss ledger: what becomes of every member of requests and answers in the
// newest official SDKs' types, at every other side: carried, lost or refused.
//
// The tests make the ledger. schemas.json has the types (e2e/lib/schemas.mjs), bodies.json has valid
// bodies and values. Each member goes through the translator to every upstream or client. The body
// for the other side, compared with the same body without the member, and the report of losses
// decide:
//
//   - carried: the bodies differ, and "as" names the members there. Or the member leaves no trace, and
//     a remark in brackets says why it is carried: "(here)", edgelingua itself acts on the member, or the
//     client gets what it says from elsewhere; "(same effect)", the upstream's answer is the same without
//     it; effects.go has the reason; "(usual value)", the value asks for nothing, so an API without the
//     member does the same.
//   - lost: the report names the member or an object around the member.
//   - refused: the error names the path of the member.
//
// There is no fourth state. At the member's own API the states are those of requests and answers that
// settings of the endpoint force through a translation; all others pass byte for byte, except for the
// model's name (worker/serve, plan.passes).
//
// Some members cannot vary: each object of their type has them, with one value. Their states are those
// of the nearest object around them that a valid body can lack.
//
// Everything else is a fault and fails the test. A state for only some values or models names these
// values or models.
package ledger

import (
	_ "embed"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// table has a section for each API and direction. Its first line is "# API.request" or "# API.answer"
// and the other sides; each further line is a member and its states at these sides.
//
//go:embed ledger.tsv
var table string

// Row has the states of a member.
type Row struct {
	API    string // of the member
	Answer bool   // of an answer, not of a request
	Path   string
	States []State
}

// State is the state of a member at another side: an upstream of requests, or a client of answers.
type State struct {
	API  string
	Text string // "carried as x; lost for y"
}

// rows reads the table.
var rows = sync.OnceValue(func() (all []Row) {
	var row Row
	var others []string
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if root, ok := strings.CutPrefix(cells[0], "# "); ok {
			api, direction, _ := strings.Cut(root, ".")
			row, others = Row{API: api, Answer: direction == "answer"}, cells[1:]
			continue
		}
		row.Path, row.States = cells[0], nil
		for i, text := range cells[1:] {
			row.States = append(row.States, State{others[i], text})
		}
		all = append(all, row)
	}
	return all
})

// Rows returns all rows. Callers must not change their states.
func Rows() iter.Seq[Row] { return slices.Values(rows()) }

// Form returns the path as a report has it: clients of Messages need not say that a tool is custom.
func (r *Row) Form() string {
	if r.API == "anthropic" {
		return strings.Replace(r.Path, "tools[custom]", "tools[]", 1)
	}
	return r.Path
}

// Why returns the reason for a state of the row, or "" for an unknown one.
func (r *Row) Why(s State) string {
	if s.Loss() != "" {
		text := ""
		if !r.Answer && s.API != r.API {
			text = Reason(r.API, s.API, r.Form())
		}
		if text == "" {
			text, _ = kindOf(r.root(), s.API, r.Path)
		}
		return text
	}
	e, _ := effectOf(r.root(), r.Path, s.API)
	if e != nil && (strings.Contains(s.Text, "(here)") || strings.Contains(s.Text, SameEffect)) {
		return e.why
	}
	return ""
}

// root returns the name of the row's section.
func (r *Row) root() string {
	if r.Answer {
		return r.API + ".answer"
	}
	return r.API + ".request"
}

// Find returns the rows of a field: a path, as in a report of losses, without the types in brackets if
// the field has none. Below a JSON Schema the schema's own rows are the field's, and for an object
// without a row the rows of its members.
func Find(api, field string) (all []Row) {
	field = indexes.ReplaceAllString(field, "")
	isObject := strings.HasSuffix(field, "]")
	if at := inSchema.FindStringIndex(field); at != nil {
		field, isObject = field[:at[1]-1], true
	}
	var inside []Row
	for row := range Rows() {
		path := strings.ReplaceAll(row.Path, "[]", "") // as in field
		if !strings.Contains(field, "[") {
			path = plain(path)
		}
		switch rest, found := strings.CutPrefix(path, field); {
		case row.API != api || !found:
		case rest == "":
			all = append(all, row)
		case rest[0] == '.':
			inside = append(inside, row)
		}
	}
	if all == nil && isObject {
		return inside
	}
	return all
}

var (
	indexes  = regexp.MustCompile(`\[\d*\]`)
	inSchema = regexp.MustCompile(`(?i)(schema|parameters)\.`)
)

// plain returns a path without brackets.
func plain(path string) string {
	var b strings.Builder
	inside := false
	for _, c := range path {
		inside = inside && c != ']' || c == '['
		if !inside && c != ']' {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// SameEffect is the remark of a member without which a request has the same effect.
const SameEffect = "(same effect)"

// Loss returns the loss or the refusal with its condition: "lost for under 16". "" stands for members
// without any reported loss.
func (s *State) Loss() string {
	var said []string
	carried := false
	for clause := range strings.SplitSeq(s.Text, "; ") {
		switch {
		case strings.HasPrefix(clause, "carried"):
			carried = true
		default:
			said = append(said, clause)
		}
	}
	if !carried && len(said) == 1 {
		word, _, _ := strings.Cut(said[0], " ")
		return word
	}
	return strings.Join(said, "; ")
}

// Because returns the reason for the loss of a field of requests or answers, or of all members of
// this object, at another side.
func Because(api string, answer bool, other, field string) string {
	if !answer {
		if text := Reason(api, other, field); text != "" {
			return text
		}
	}
	for row := range Rows() {
		rest, isInside := strings.CutPrefix(row.Form(), field)
		if row.API != api || row.Answer != answer || !isInside || rest != "" && rest[0] != '.' {
			continue
		}
		if text, _ := kindOf(row.root(), other, row.Path); text != "" {
			return text
		}
	}
	return ""
}

// Reason returns the reason for the loss of a client's field, or of the object around the field up
// to its type, at an upstream. An unknown reason is "".
func Reason(client, upstream, field string) string {
	for {
		text, _ := Why(client, upstream, field)
		end := strings.LastIndexAny(field, ".[")
		if text != "" || end < 0 || field[end] == '[' && field[end+1] != ']' {
			return text
		}
		field = field[:end]
	}
}
