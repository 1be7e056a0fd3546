package conform

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Look says how a report looks at a terminal.
type Look struct{ Colour, UTF8 bool }

func (l Look) mark(s State) string {
	if l.UTF8 {
		return map[State]string{Passed: "✓", Failed: "✗", Skipped: "-", Absent: "-"}[s]
	}
	return map[State]string{Passed: "ok", Failed: "NO", Skipped: "-", Absent: "-"}[s]
}

func (l Look) paint(s State, text string) string {
	if !l.Colour || s != Passed && s != Failed {
		return text
	}
	return map[State]string{Passed: "\x1b[32m", Failed: "\x1b[31m"}[s] + text + "\x1b[0m"
}

// tally counts the results of one cell.
type tally map[State]int

// text returns "passed" or "passed/judged", or a dash if nothing was judged.
func (t tally) text() string {
	switch {
	case t == nil:
		return ""
	case t[Passed]+t[Failed] == 0:
		return "-"
	case t[Failed] == 0:
		return fmt.Sprint(t[Passed])
	}
	return fmt.Sprintf("%d/%d", t[Passed], t[Passed]+t[Failed])
}

func (t tally) state() State {
	switch {
	case t[Failed] > 0:
		return Failed
	case t[Passed] > 0:
		return Passed
	}
	return Skipped
}

// grid returns the rows (areas), the columns (pairs) and the cells of the reports.
func (all Reports) grid() (areas, pairs []string, cells map[[2]string]tally) {
	cells = map[[2]string]tally{}
	for _, r := range all {
		for i := range r.Results {
			x := &r.Results[i]
			area := strings.Split(x.ID, "/")[1]
			if !slices.Contains(pairs, x.pair()) {
				pairs = append(pairs, x.pair())
			}
			at := [2]string{area, x.pair()}
			if cells[at] == nil {
				cells[at] = tally{}
			}
			cells[at][x.State]++
		}
	}
	for _, area := range Areas {
		if slices.ContainsFunc(pairs, func(pair string) bool { return cells[[2]string{area, pair}] != nil }) {
			areas = append(areas, area)
		}
	}
	return areas, pairs, cells
}

// Write writes the reports for people: a table for each upstream, the failures, and the sum.
func (all Reports) Write(w io.Writer, look Look) {
	for _, r := range all {
		r.write(w, look)
	}
	counts, ms := all.counts()
	of, verdict := Passed, "all is well"
	if counts[Failed] > 0 {
		of, verdict = Failed, fmt.Sprintf("%d failed", counts[Failed])
	} else if counts[Passed] == 0 {
		of, verdict = Failed, "nothing was tested"
	} else if !all.OK() {
		of, verdict = Failed, "not all was tested"
	}
	fmt.Fprintf(w, "%d cases passed, %d skipped, %d not served, in %.1f s: %s\n", counts[Passed],
		counts[Skipped],
		counts[Absent], ms/1000, look.paint(of, verdict))
}

func (r *Report) write(w io.Writer, look Look) {
	areas, pairs, cells := Reports{r}.grid()
	fmt.Fprintf(w, "%-12s", "")
	for _, pair := range pairs {
		fmt.Fprintf(w, "  %*s", max(8, len(pair)), pair)
	}
	fmt.Fprintln(w)
	for _, area := range areas {
		fmt.Fprintf(w, "%-12s", area)
		for _, pair := range pairs {
			t := cells[[2]string{area, pair}]
			text := t.text()
			if t.state() != Skipped {
				text = look.mark(t.state()) + " " + text
			}
			pad := max(8, len(pair)) - len([]rune(text))
			fmt.Fprintf(w, "  %*s%s", max(pad, 0), "", look.paint(t.state(), text))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	for _, s := range r.APIs {
		if !s.Served {
			fmt.Fprintf(w, "- %s is not served: %s\n", s.Name, s.Why)
		}
	}
	failed := false
	for _, x := range r.Results {
		switch {
		case x.State == Failed:
			failed = true
			fmt.Fprintf(w, "%s %s (%s%s): %s\n    expected: %s\n    got:      %s\n", look.paint(Failed,
				look.mark(Failed)), x.ID, x.via(), x.Severity, x.Title, x.Expected, x.Got)
		case x.State == Passed && x.Note != "":
			fmt.Fprintf(w, "- %s: %s\n", x.ID, x.Note)
		}
	}
	if failed {
		fmt.Fprintln(w, "`edgelingua check --explain ID` says why a case matters, and its source.")
	}
	if r.Requests > 0 {
		fmt.Fprintf(w, "%d answers of the model: %d input tokens, %d output tokens\n", r.Requests,
			r.Tokens.Input,
			r.Tokens.Output)
	}
	if r.Stopped != "" {
		fmt.Fprintf(w, "%s the run ended early: %s\n", look.paint(Failed, look.mark(Failed)),
			r.Stopped)
	}
}

// via names the upstream of a result.
func (x *Result) via() string {
	if x.Upstream == "" {
		return ""
	}
	return "upstream " + x.Upstream + ", "
}

// Markdown writes the reports as Markdown: the areas of each pair, the prompt caches of each pair, and
// the failures.
func (all Reports) Markdown(w io.Writer) {
	areas, pairs, cells := all.grid()
	fmt.Fprintf(w, "| client/upstream | %s |\n|---|%s\n", strings.Join(areas, " | "),
		strings.Repeat("---:|", len(areas)))
	for _, pair := range pairs {
		fmt.Fprintf(w, "| %s |", pair)
		for _, area := range areas {
			fmt.Fprintf(w, " %s |", cells[[2]string{area, pair}].text())
		}
		fmt.Fprintln(w)
	}
	all.caches(w)
	fmt.Fprintln(w)
	for _, r := range all {
		for _, x := range r.Results {
			if x.State == Failed {
				fmt.Fprintf(w, "- `%s` (%s%s): %s. Expected %s, got `%s`\n", x.ID, x.via(), x.Severity,
					x.Title,
					x.Expected, strings.ReplaceAll(x.Got, "`", "'"))
			}
		}
	}
}

// caches writes the results of the area cache: a row for each pair, a column for each case.
func (all Reports) caches(w io.Writer) {
	var ids, pairs []string
	titles, states := map[string]string{}, map[[2]string]State{}
	for _, r := range all {
		for i := range r.Results {
			x := &r.Results[i]
			parts := strings.Split(x.ID, "/")
			if parts[1] != "cache" {
				continue
			}
			if titles[parts[2]] == "" {
				titles[parts[2]] = x.Title
				ids = append(ids, parts[2])
			}
			if !slices.Contains(pairs, x.pair()) {
				pairs = append(pairs, x.pair())
			}
			states[[2]string{parts[2], x.pair()}] = x.State
		}
	}
	if ids == nil {
		return
	}
	slices.Sort(ids)
	fmt.Fprint(w, "\n| prompt caching |")
	for _, id := range ids {
		fmt.Fprintf(w, " %s %s |", id, titles[id])
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", len(ids)))
	for _, pair := range pairs {
		fmt.Fprintf(w, "| %s |", pair)
		for _, id := range ids {
			word := map[State]string{Passed: "yes", Failed: "**no**", Skipped: "-",
				Absent: "-"}[states[[2]string{id, pair}]]
			fmt.Fprintf(w, " %s |", word)
		}
		fmt.Fprintln(w)
	}
}

// Numbers writes the number of cases of each API and area as Markdown.
func Numbers(w io.Writer) {
	counts, sums := map[[2]string]int{}, map[string]int{}
	for _, c := range arranged() {
		counts[[2]string{c.Area(), c.API()}]++
		sums[c.API()]++
	}
	fmt.Fprintf(w, "| %d cases |", len(arranged()))
	for _, a := range clients {
		fmt.Fprintf(w, " %s |", a.name)
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---:|", len(clients)))
	for _, area := range Areas {
		fmt.Fprintf(w, "| %s |", area)
		for _, a := range clients {
			fmt.Fprintf(w, " %d |", counts[[2]string{area, a.name}])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| all |")
	for _, a := range clients {
		fmt.Fprintf(w, " %d |", sums[a.name])
	}
	fmt.Fprintln(w)
}

// List writes the chosen cases, one a line.
func List(w io.Writer, options Options) {
	for _, c := range arranged() {
		if options.chosen(c) {
			fmt.Fprintf(w, "%-28s %-6s %s\n", c.ID, c.Severity, c.Title)
		}
	}
}
