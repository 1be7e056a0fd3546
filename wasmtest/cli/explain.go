package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"edgelingua/translator"
	"edgelingua/wasmtest/ledger"
)

// explain returns the command for rows of the loss ledger.
func (p *program) explain() *cobra.Command {
	return newCommand(
		description{section: checking, use: "explain FIELD...",
			short: "say what becomes of a field at each other API",
			long: `edgelingua explain FIELD... prints what becomes of members of requests or answers: carried,
lost or refused, at each upstream of requests and for each client of answers. A FIELD is a
member's path, as in x-edgelingua-lost, after the name of its API: messages (or anthropic), chat,
responses, gemini or interactions. Without an API, all APIs with such a member are listed. Types
may be left out: messages.tools.strict stands for tools[custom].strict and others. In brackets is why
a member is carried that leaves no trace, or is lost.`,
			example: "edgelingua explain messages.thinking.budget_tokens\n" +
				"edgelingua explain chat.logit_bias",
			exit: exitCodes},
		func(args []string) error {
			if len(args) == 0 {
				return usageError{errors.New("explain takes fields, as in `edgelingua explain " +
					"chat.logit_bias`")}
			}
			var failed error // for the first unknown field: the others are explained
			for _, field := range args {
				failed = cmp.Or(failed, explain(p.stdout, field))
			}
			return failed
		},
	)
}

// explain prints the rows of a field.
func explain(out io.Writer, field string) error {
	name, rest, _ := strings.Cut(field, ".")
	var rows []ledger.Row
	for _, api := range translator.APIs {
		// by its name or its title, as in messages.thinking
		if api.Name == name || strings.HasSuffix(strings.ToLower(api.Title), " "+name) {
			rows = append(rows, ledger.Find(api.Name, rest)...)
		}
	}
	for _, api := range translator.APIs {
		rows = append(rows, ledger.Find(api.Name, field)...)
	}
	if len(rows) == 0 {
		var known []string
		for row := range ledger.Rows() {
			known = append(known, row.API+"."+row.Path)
		}
		meant := ""
		if near := nearest(field, slices.Compact(known)); near != "" {
			meant = fmt.Sprintf("; did you mean %s?", near)
		}
		return usageError{fmt.Errorf("no API has a member %q in the types of its SDK%s", field, meant)}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		what, to := "requests", "to"
		if row.Answer {
			what, to = "answers", "for clients of"
		}
		fmt.Fprintf(w, "%s (%s of %s)\n", row.Path, what, translator.API(row.API).Title)
		for _, s := range row.States {
			why := row.Why(s)
			if why != "" {
				why = " (" + why + ")"
			}
			other := translator.API(s.API).Title
			if s.API == row.API {
				other += ", if translated" // otherwise the bytes pass
			}
			fmt.Fprintf(w, "  %s %s\t%s%s\n", to, other, s.Text, why)
		}
	}
	return w.Flush()
}
