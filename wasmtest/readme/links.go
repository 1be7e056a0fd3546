package readme

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var (
	fence = regexp.MustCompile("(?ms)^```.*?^```$")
	span  = regexp.MustCompile("`[^`\n]*`")
	link  = regexp.MustCompile(`\]\(([^()\s]+)\)`)
)

// Links returns the targets of the links in a Markdown document. Code has no links.
func Links(text string) (targets []string) {
	text = fence.ReplaceAllString(text, "")
	text = span.ReplaceAllString(text, "")
	for _, found := range link.FindAllStringSubmatch(text, -1) {
		targets = append(targets, found[1])
	}
	return targets
}

// Anchors returns the anchors that GitHub gives the headings of a Markdown document: the words in
// small letters, joined by hyphens, without punctuation, and with a number if a heading is
// repeated.
func Anchors(text string) map[string]bool {
	anchors, times := map[string]bool{}, map[string]int{}
	for line := range strings.Lines(fence.ReplaceAllString(text, "")) {
		title := strings.TrimLeft(line, "#")
		if title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))
		n := times[anchor]
		times[anchor]++
		if n > 0 {
			anchor += "-" + strconv.Itoa(n)
		}
		anchors[anchor] = true
	}
	return anchors
}
