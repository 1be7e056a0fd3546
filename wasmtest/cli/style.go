package cli

import (
	"io"
	"os"
	"strings"

	"edgelingua/wasmtest/access"
	"edgelingua/wasmtest/smoke"
)

// styleFor returns the style of the log lines for out: words for a terminal, else JSON.
func styleFor(out io.Writer) access.Style {
	switch {
	case !attended(out):
		return access.JSON
	case os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb":
		return access.Plain
	}
	return access.Colour
}

// reportStyle returns the style of smoke's report for out.
func reportStyle(out io.Writer) smoke.Style {
	return smoke.Style{Colour: attended(out) && os.Getenv("NO_COLOR") == "", UTF8: speaksUTF8(os.Getenv)}
}

// attended reports whether end is a terminal.
func attended(end any) bool {
	file, ok := end.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// speaksUTF8 reports whether the environment's locale is UTF-8.
func speaksUTF8(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(env(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return false
}
