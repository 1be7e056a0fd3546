package main

import (
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

const columns = 110

// tally counts words, and the pronouns and relatives among them.
type tally struct{ words, pronouns int }

func (t *tally) add(more tally) {
	t.words += more.words
	t.pronouns += more.pronouns
}

// share returns the pronouns in percent of the words.
func (t *tally) share() float64 { return 100 * float64(t.pronouns) / float64(max(t.words, 1)) }

// file has the words and the long lines of one file.
type file struct {
	tally
	long []int // the numbers of the lines that are too long, from 1
}

var (
	word     = regexp.MustCompile(`[A-Za-z']+`)
	pronouns = set(`who whose whom whoever whatever which that what where it its them they those these
		this one such other others nobody anything else`)
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// kindOf returns how the file is read: go, js, sh, css, md, or "" if the file is not checked.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".go":
		return "go"
	case ".js", ".mjs", ".ts":
		return "js"
	case ".sh":
		return "sh"
	case ".css":
		return "css"
	case ".md":
		return "md"
	}
	return ""
}

var (
	fence      = regexp.MustCompile("(?s)```.*?```")
	tableRow   = regexp.MustCompile(`(?m)^\|.*$`)
	jsComment  = regexp.MustCompile(`(?m)(?:^|\s)//\s(.*)$|^\s*/?\*+ (.*)$`)
	shComment  = regexp.MustCompile(`(?m)^\s*# (.*)$`)
	cssComment = regexp.MustCompile(`(?s)/\*(.*?)\*/`)
)

// read counts the words of a file's comments, of a document all words outside of code and tables,
// and finds lines that are too long.
func read(name, text string) file {
	var f file
	kind := kindOf(name)
	switch kind {
	case "go":
		f.count(commentsOf(text))
	case "md":
		f.count(tableRow.ReplaceAllString(fence.ReplaceAllString(text, ""), ""))
		return f // a paragraph may be one line
	default:
		comment := map[string]*regexp.Regexp{"js": jsComment, "sh": shComment, "css": cssComment}[kind]
		for _, m := range comment.FindAllStringSubmatch(text, -1) {
			f.count(strings.Join(m[1:], " "))
		}
	}
	isTest := strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "e2e/")
	for i, line := range strings.Split(text, "\n") {
		if width(line) > columns && !(isTest && isData(line)) {
			f.long = append(f.long, i+1)
		}
	}
	return f
}

// isData reports whether a line of a test is test data: it has a string or a pattern, or is a
// comment with JSON, such as the output of an example.
func isData(line string) bool {
	if strings.HasPrefix(strings.TrimSpace(line), "//") {
		return strings.Contains(line, `{"`)
	}
	return strings.ContainsAny(line, "\"'`/")
}

func (t *tally) count(text string) {
	for _, w := range word.FindAllString(text, -1) {
		t.words++
		if pronouns[strings.ToLower(w)] {
			t.pronouns++
		}
	}
}

// commentsOf returns the text of a Go file's comments.
func commentsOf(text string) string {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), []byte(text), nil, scanner.ScanComments)
	var b strings.Builder
	for {
		_, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return b.String()
		case tok == token.COMMENT && !strings.HasPrefix(literal, "//go:"):
			b.WriteString(strings.TrimPrefix(literal, "//") + "\n")
		}
	}
}

// width returns how many columns a line has.
func width(line string) int {
	return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
}
