package smoke

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Style is how a report looks.
type Style struct {
	Colour bool
	UTF8   bool
}

// mark is the sign of what came of a check.
func (s Style) mark(of state) string {
	marks := map[state]string{good: "✓", noted: "~", bad: "✗"}
	if !s.UTF8 {
		marks = map[state]string{good: "ok", noted: "~", bad: "NO"}
	}
	return marks[of]
}

func (s Style) paint(of state, text string) string {
	if !s.Colour {
		return text
	}
	return map[state]string{good: "\x1b[32m", noted: "\x1b[33m", bad: "\x1b[31m"}[of] + text + "\x1b[0m"
}

// state is what came of the checks of a cell.
type state int

const (
	absent state = iota
	good
	noted
	bad
)

// cell is a place in a table: several checks may stand in one.
type cell struct {
	state state
	ms    float64
}

// wide is the width of a cell, and gap that between two columns.
const (
	wide = 8
	gap  = 2
)

// Write writes the report for people: a table with the checks of models, another with those of keys, and what failed.
func (r *Report) Write(w io.Writer, style Style) {
	withModes := []string{columnText, columnCall, columnRoundTrip, columnParallel, columnErrors}
	r.table(w, style, "client/upstream", withModes, []string{streamed, plain})
	fmt.Fprintln(w)
	withoutModes := []string{columnNoKey, columnWrongKey, columnAPIKey, columnBearer, columnMethod, columnPath, columnNotJSON}
	r.table(w, style, "client", withoutModes, []string{""})
	fmt.Fprintln(w)
	for _, c := range r.Checks {
		if c.Note != "" {
			fmt.Fprintf(w, "%s %s, %s: %s\n", style.paint(noted, style.mark(noted)), c.Pair, c.Name, c.Note)
		}
	}
	failed := 0
	for _, c := range r.Checks {
		if !c.OK {
			failed++
			fmt.Fprintf(w, "%s %s, %s\n    expected: %s\n    got:      %s\n", style.paint(bad, style.mark(bad)), c.Pair, c.Name, c.Expected, c.Got)
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

// table writes a row for each pair and a column for each kind of check, split by modes. Columns without checks are left out.
func (r *Report) table(w io.Writer, style Style, corner string, columns, modes []string) {
	var rows []string
	cells := map[[3]string]cell{}
	used := map[string]bool{}
	for _, c := range r.Checks {
		if !slices.Contains(columns, c.column) || !slices.Contains(modes, c.mode) {
			continue
		}
		if !slices.Contains(rows, c.Pair) {
			rows = append(rows, c.Pair)
		}
		used[c.column] = true
		at := [3]string{c.Pair, c.column, c.mode}
		cells[at] = cell{max(cells[at].state, c.state()), cells[at].ms + c.MS}
	}
	first := utf8.RuneCountInString(corner)
	for _, row := range rows {
		first = max(first, len(row))
	}
	columns = slices.DeleteFunc(slices.Clone(columns), func(column string) bool { return !used[column] })
	width := len(modes)*(wide+gap) - gap
	line := pad(corner, first)
	for _, column := range columns {
		line += strings.Repeat(" ", gap) + pad(column, width)
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
	if len(modes) > 1 {
		line = pad("", first)
		for range columns {
			for _, mode := range modes {
				line += strings.Repeat(" ", gap) + pad(mode, wide)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	for _, row := range rows {
		line, trailing := pad(row, first), ""
		for _, column := range columns {
			for _, mode := range modes {
				text, c := "", cells[[3]string{row, column, mode}]
				if c.state != absent {
					text = fmt.Sprintf("%s %.0f ms", style.mark(c.state), c.ms)
				}
				padding := strings.Repeat(" ", max(0, wide-utf8.RuneCountInString(text)))
				if text != "" {
					text = style.paint(c.state, text)
				}
				line += trailing + strings.Repeat(" ", gap) + text
				trailing = padding
			}
		}
		fmt.Fprintln(w, line)
	}
}

func (c *Result) state() state {
	switch {
	case !c.OK:
		return bad
	case c.Note != "":
		return noted
	}
	return good
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}
