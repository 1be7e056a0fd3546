package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// description is the help text of a command and the section of the list of commands that has the
// command.
type description struct {
	section string // "" hides the command
	use     string // the command and its arguments, as in "check [flags] URL"
	short   string
	long    string
	example string // commands, one a line, some with a comment below
	exit    string // the exit codes
}

// section is a group of flags with its own title in a help text.
type section struct {
	title  string
	define func(flags *flag.FlagSet)
}

// helpWidth is the maximum width of a flag's description.
const helpWidth = 110

// newCommand returns a command. Its run gets the arguments after the flags. The first argument
// without a hyphen, or --, ends the flags.
func newCommand(d description, run func(args []string) error, sections ...section) *cobra.Command {
	c := &cobra.Command{
		Use: d.use, Short: d.short, Long: d.long, Example: d.example, GroupID: d.section,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return run(args) },
		// completion offers files for flags; a command with files as arguments changes this
		ValidArgsFunction:     cobra.NoFileCompletions,
		SilenceErrors:         true,
		SilenceUsage:          true,
		DisableFlagsInUseLine: true,
	}
	c.Flags().SetInterspersed(false)
	var groups []*pflag.FlagSet
	for _, s := range sections {
		goFlags := flag.NewFlagSet("", flag.ContinueOnError)
		s.define(goFlags)
		group := pflag.NewFlagSet(s.title, pflag.ContinueOnError)
		group.AddGoFlagSet(goFlags)
		group.VisitAll(func(f *pflag.Flag) {
			if strings.Contains(f.Usage, "by default") { // the description already names the default
				f.DefValue = ""
			}
		})
		c.Flags().AddFlagSet(group)
		groups = append(groups, group)
	}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) {
		out := c.OutOrStdout()
		fmt.Fprintln(out, d.long)
		if d.example != "" {
			fmt.Fprintf(out, "\nExamples:\n\n%s\n", indented(d.example))
		}
		for i, group := range groups {
			fmt.Fprintf(out, "\n%s:\n\n%s", sections[i].title, group.FlagUsagesWrapped(helpWidth))
		}
		if d.exit != "" {
			fmt.Fprintf(out, "\n%s\n", d.exit)
		}
	})
	c.SetFlagErrorFunc(wrongFlag)
	return c
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// execute runs one command with its arguments. An error of the command line is a usageError.
func execute(c *cobra.Command, args []string, stdout, stderr io.Writer) error {
	c.SetArgs(longFlags(c, args))
	c.SetOut(stdout)
	c.SetErr(stderr)
	return c.Execute()
}

// longFlags returns args with two hyphens before each known flag. Package flag accepts one hyphen
// too, and so users' scripts have it.
func longFlags(c *cobra.Command, args []string) []string {
	c.InitDefaultHelpFlag()
	args = slices.Clone(args)
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if len(arg) < 2 || arg[0] != '-' || arg == "--" {
			break // the arguments begin
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		found := c.Flags().Lookup(name)
		if found == nil {
			continue
		}
		if !strings.HasPrefix(arg, "--") {
			args[i] = "-" + arg
		}
		if found.NoOptDefVal == "" && !hasValue {
			i++ // its value
		}
	}
	return args
}

// wrongFlag returns the error for flags that can't be parsed. If a known flag is near, the error
// names it.
func wrongFlag(c *cobra.Command, err error) error {
	more := fmt.Sprintf("`edgelingua %s -h` lists the flags", c.Name())
	unknown, needy, invalid := (*pflag.NotExistError)(nil), (*pflag.ValueRequiredError)(nil),
		(*pflag.InvalidValueError)(nil)
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if all := unknown.GetSpecifiedShortnames(); all != "" { // -port: not five flags of a letter
			name, _, _ = strings.Cut(all, "=")
		}
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		meant := ""
		if near := nearest(name, known); near != "" {
			meant = "; did you mean --" + near + "?"
		}
		return usageError{fmt.Errorf("%s has no flag --%s%s; %s", c.Name(), name, meant, more)}
	case errors.As(err, &needy):
		return usageError{fmt.Errorf("--%s needs a value; %s", needy.GetFlag().Name, more)}
	case errors.As(err, &invalid):
		return usageError{fmt.Errorf("--%s: %w; %s", invalid.GetFlag().Name, invalid.Unwrap(), more)}
	}
	return usageError{fmt.Errorf("%w; %s", err, more)}
}

// nearest returns the known name nearest to a mistyped one: the name is its beginning, or differs
// by at most two inserted, deleted or replaced characters. It returns "" if no name is near.
func nearest(name string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		d := distance(name, k)
		if len(name) > 2 && strings.HasPrefix(k, name) {
			d = 1
		}
		if d < least && d < len(k) {
			best, least = k, d
		}
	}
	return best
}

// distance returns the Levenshtein distance of two texts.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
