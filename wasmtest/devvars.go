package main

import (
	"fmt"
	"os"
	"strings"
)

// readDevVars reads a file in the form of wrangler's .dev.vars: NAME=value lines, values with or without quotes, and comments
// that start with #. As there, a # ends a value that is not quoted, and \n is a line break inside double quotes.
func readDevVars(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w; --dev-vars names a file of NAME=value lines", err)
	}
	vars := map[string]string{}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		name, v, err := parseDevVar(strings.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		if name != "" {
			vars[name] = v
		}
	}
	return vars, nil
}

// parseDevVar returns an empty name for a line that sets nothing. Its errors hold nothing of the value.
func parseDevVar(line string) (name, v string, err error) {
	if line == "" || line[0] == '#' {
		return "", "", nil
	}
	name, v, found := strings.Cut(line, "=")
	name = strings.TrimSpace(strings.TrimPrefix(name, "export "))
	if !found || !validName(name) {
		return "", "", fmt.Errorf("the line is not of the form NAME=value")
	}
	v = strings.TrimSpace(v)
	if v == "" || !strings.ContainsRune("\"'`", rune(v[0])) {
		v, _, _ = strings.Cut(v, "#")
		return name, strings.TrimSpace(v), nil
	}
	quote := v[:1]
	end := strings.LastIndex(v, quote)
	if rest := strings.TrimSpace(v[end+1:]); end == 0 || rest != "" && rest[0] != '#' {
		return "", "", fmt.Errorf("the value of %s starts with %s and does not end with it", name, quote)
	}
	v = v[1:end]
	if quote == `"` {
		v = strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(v)
	}
	return name, v, nil
}

// validName says whether s is a name that a var can have.
func validName(s string) bool {
	for i, c := range s {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
