package wrangler

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// space is the class \s of JavaScript's regular expressions.
const space = `[\s\v\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]`

// assignment is the pattern of dotenv 16, which wrangler uses for .dev.vars and .env. As in
// JavaScript the first matching alternative wins, so a value whose quote ends too early keeps its
// quotes.
var assignment = regexp.MustCompile(strings.ReplaceAll(
	`(?m)^_*(?:export_+)?([\w.-]+)(?:_*=_*?|:_+?)(_*'(?:\\'|[^'])*'|_*"(?:\\"|[^"])*"|_*`+"`(?:\\\\`|[^`])*`"+
		`|[^#\r\n]+)?_*(?:#.*)?$`, "_", space))

// readDotenv reads a file into vars. Errors show nothing of a value.
func readDotenv(path string, vars map[string]string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return parseDotenv(path, string(text), vars)
}

func parseDotenv(path, text string, vars map[string]string) error {
	// Go's libraries read shell. dotenv's pattern has quirks: quotes may span lines, \" keeps the
	// backslash, and nothing is replaced. 200,000 random files were read alike. Text that wrangler
	// skips silently is an error here, with the line.
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	at := func(offset int, problem error) error {
		return fmt.Errorf("%s:%d: %w", path, 1+strings.Count(text[:offset], "\n"), problem)
	}
	end := 0
	for _, m := range append(assignment.FindAllStringSubmatchIndex(text, -1), []int{len(text), len(text),
		-1}) {
		if offset := stray(text[end:m[0]]); offset >= 0 {
			return at(end+offset, errors.New("the line is not of the form NAME=value"))
		}
		if end = m[1]; m[2] < 0 {
			break
		}
		name, raw := text[m[2]:m[3]], ""
		if m[4] >= 0 {
			raw = text[m[4]:m[5]]
		}
		value, err := unquote(name, trim(raw))
		if err != nil {
			return at(m[2], err)
		}
		vars[name] = value
	}
	return nil
}

// stray returns the offset of the first line between assignments that is neither empty nor a
// comment, -1 for none.
func stray(text string) (offset int) {
	for line := range strings.Lines(text) {
		if rest := trim(line); rest != "" && rest[0] != '#' {
			return offset
		}
		offset += len(line)
	}
	return -1
}

// unquote removes the quotes of a value. In double quotes, a backslash with n or r is an escape. An
// escaped quote keeps its backslash.
func unquote(name, v string) (string, error) {
	if v == "" || !strings.ContainsRune("\"'`", rune(v[0])) {
		return v, nil
	}
	quote := v[:1]
	if len(v) == 1 || !strings.HasSuffix(v, quote) {
		return "", fmt.Errorf("the value of %s starts with %s and does not end with it", name, quote)
	}
	v = v[1 : len(v)-1]
	if quote == `"` {
		v = strings.ReplaceAll(strings.ReplaceAll(v, `\n`, "\n"), `\r`, "\r")
	}
	return v, nil
}

var ends = regexp.MustCompile(`^` + space + `+|` + space + `+$`)

func trim(s string) string { return ends.ReplaceAllString(s, "") }

// reference matches a reference to a variable. wrangler replaces references in the values of .env.
var reference = regexp.MustCompile(`(?:^|[^\\])\$(?:\{[^{}]+\}|[A-Za-z_])`)

// readEnv reads a .env file into vars. A value with a reference is an error.
func readEnv(path string, vars map[string]string) error {
	// wrangler's rules for $NAME are long, and a key with a $ would be changed without a word.
	own := map[string]string{}
	if err := readDotenv(path, own); err != nil {
		return err
	}
	for name, v := range own {
		if reference.MatchString(v) {
			return fmt.Errorf("%s: the value of %s names another variable with $, which only wrangler "+
				"replaces; write it out, or \\$ for the character", path, name)
		}
		vars[name] = strings.ReplaceAll(v, `\$`, "$")
	}
	return nil
}
