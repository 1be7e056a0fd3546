package smoke

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"edgelingua/wasmtest/access"
)

// Style says how a report looks.
type Style struct {
	Colour bool
	UTF8   bool
}

// mark returns the sign for a state.
func (s Style) mark(of state) string {
	marks := map[state]string{good: "✓", noted: "~", bad: "✗"}
	if !s.UTF8 {
		marks = map[state]string{good: "ok", noted: "~", bad: "NO"}
	}
	return marks[of]
}

func (s Style) paint(of state, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return map[state]string{good: "\x1b[32m", noted: "\x1b[33m", bad: "\x1b[31m"}[of] + text + "\x1b[0m"
}

// state is the combined result of the checks in one cell.
type state int

const (
	absent state = iota
	good
	noted
	bad
)

// cell is one cell of a table, with the results of one or several checks.
type cell struct {
	state state
	ms    float64
}

// cellWidth is the width of a cell, and gap the space between two columns.
const (
	cellWidth = 8
	gap       = 2
)

// Write writes the report for people: a table of the checks with a model, a table of the checks of
// keys, and the failures.
func (r *Report) Write(w io.Writer, style Style) {
	withModes := []string{columnText, columnCall, columnRoundTrip, columnParallel, columnErrors}
	r.table(w, style, withModes, []string{streamed, plain})
	fmt.Fprintln(w)
	withoutModes := []string{columnNoKey, columnWrongKey, columnAPIKey, columnBearer, columnMethod,
		columnPath, columnNotJSON}
	r.table(w, style, withoutModes, []string{""})
	fmt.Fprintln(w)
	for _, c := range r.Checks {
		if c.Note != "" {
			fmt.Fprintf(w, "%s %s, %s: %s\n", style.paint(noted, style.mark(noted)), c.Pair, c.Name,
				access.Text(c.Note))
		}
	}
	failed := 0
	for _, c := range r.Checks {
		if !c.OK {
			failed++
			fmt.Fprintf(w, "%s %s, %s\n    expected: %s\n    got:      %s\n", style.paint(bad,
				style.mark(bad)), c.Pair, c.Name, access.Text(c.Expected), access.Text(c.Got))
		}
	}
	for _, u := range r.Usage {
		fmt.Fprintf(w, "%s: %d input tokens, %d output tokens\n", u.Path, u.Input, u.Output)
	}
	verdict, of := "all is well", good
	if failed > 0 {
		verdict, of = fmt.Sprintf("%d failed", failed), bad
	}
	fmt.Fprintf(w, "%d checks in %.1f s: %s\n", len(r.Checks), r.MS/1000, style.paint(of, verdict))
}

// table writes a row for each pair and a column for each kind of check, split by modes. Columns
// without checks are left out.
func (r *Report) table(w io.Writer, style Style, columns, modes []string) {
	var rows []string
	cells := map[[3]string]cell{}
	used := map[string]bool{}
	corner := "client"
	for _, c := range r.Checks {
		if !slices.Contains(columns, c.column) || !slices.Contains(modes, c.mode) {
			continue
		}
		if !slices.Contains(rows, c.Pair) {
			rows = append(rows, c.Pair)
		}
		if strings.Contains(c.Pair, "/") {
			corner = "client/upstream"
		}
		used[c.column] = true
		at := [3]string{c.Pair, c.column, c.mode}
		cells[at] = cell{max(cells[at].state, c.state()), cells[at].ms + c.MS}
	}
	columns = slices.DeleteFunc(slices.Clone(columns), func(column string) bool { return !used[column] })
	t := lines{w: w}
	for _, pair := range append(rows, corner) {
		t.first = max(t.first, len(pair))
	}
	t.begin(corner)
	for _, column := range columns {
		t.add(column, column, max(len(modes)*(cellWidth+gap)-gap, len(column)))
	}
	t.end()
	if len(modes) > 1 {
		t.begin("")
		for range columns {
			for _, mode := range modes {
				t.add(mode, mode, cellWidth)
			}
		}
		t.end()
	}
	for _, row := range rows {
		t.begin(row)
		for _, column := range columns {
			for _, mode := range modes {
				c := cells[[3]string{row, column, mode}]
				text := style.text(c)
				width := cellWidth
				if len(modes) == 1 {
					width = max(cellWidth, len(column))
				}
				t.add(text, style.paint(c.state, text), width)
			}
		}
		t.end()
	}
}

// text returns the text of a cell, without colours.
func (s Style) text(c cell) string {
	switch {
	case c.state == absent:
		return ""
	case c.ms < 999:
		return fmt.Sprintf("%s %.0f ms", s.mark(c.state), math.Ceil(c.ms))
	}
	return fmt.Sprintf("%s %.1f s", s.mark(c.state), c.ms/1000)
}

// lines writes the lines of a table.
type lines struct {
	w     io.Writer
	first int    // width of the first column
	line  string // the current line
	owed  int    // spaces to write before the next cell
}

func (l *lines) begin(row string) {
	l.line, l.owed = row, l.first-len(row)+gap
}

// add adds a cell. painted is text with colours; the colours take no width.
func (l *lines) add(text, painted string, width int) {
	if text != "" {
		l.line += strings.Repeat(" ", l.owed) + painted
		l.owed = 0
	}
	l.owed += max(0, width-utf8.RuneCountInString(text)) + gap
}

func (l *lines) end() { fmt.Fprintln(l.w, l.line) }

func (c *Result) state() state {
	switch {
	case !c.OK:
		return bad
	case c.Note != "":
		return noted
	}
	return good
}
