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
	isTest := strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "e2e/")
	var crossed map[int]bool
	switch kind {
	case "go":
		var comments string
		comments, crossed = readGo(text)
		f.count(comments)
	case "md":
		f.count(tableRow.ReplaceAllString(fence.ReplaceAllString(text, ""), ""))
		return f // a paragraph may be one line
	default:
		comment := map[string]*regexp.Regexp{"js": jsComment, "sh": shComment, "css": cssComment}[kind]
		for _, m := range comment.FindAllStringSubmatch(text, -1) {
			f.count(strings.Join(m[1:], " "))
		}
	}
	for i, line := range strings.Split(text, "\n") {
		isData := crossed[i+1]
		if kind == "js" {
			// Prettier breaks all lines except those with a long string.
			isData = !strings.HasPrefix(strings.TrimSpace(line), "//") && strings.ContainsAny(line, "\"'`")
		}
		if width(line) > columns && !(isTest && isData) {
			f.long = append(f.long, i+1)
		}
	}
	return f
}

func (t *tally) count(text string) {
	for _, w := range word.FindAllString(text, -1) {
		t.words++
		if pronouns[strings.ToLower(w)] {
			t.pronouns++
		}
	}
}

// readGo returns the text of a Go file's comments, and the numbers of the lines on which a string
// crosses the last column.
func readGo(text string) (comments string, crossed map[int]bool) {
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	lines := strings.Split(text, "\n")
	crossed = map[int]bool{}
	var b strings.Builder
	for {
		pos, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return b.String(), crossed
		case token.COMMENT:
			if !strings.HasPrefix(literal, "//go:") {
				b.WriteString(strings.TrimPrefix(literal, "//") + "\n")
			}
		case token.STRING:
			start := set.Position(pos)
			for i, part := range strings.Split(literal, "\n") {
				line := lines[start.Line+i-1]
				before := ""
				if i == 0 {
					before = line[:start.Column-1]
				}
				if width(before) < columns && width(before+part) > columns {
					crossed[start.Line+i] = true
				}
			}
		}
	}
}

// width returns how many columns a line has.
func width(line string) int {
	return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
}
