package page

import "strings"

// prescan is the number of bytes at a page's beginning that may declare its charset (HTML,
// "13.2.3.2 Determining the character encoding").
const prescan = 1024

// decoded returns a page as UTF-8. The charset comes from parameters, the parameters of the
// content-type in lower case, or from the page's beginning. For a charset other than UTF-8 and
// Windows-1252, ok is false: the bytes would not be readable as text.
func decoded(parameters string, body []byte) (page string, ok bool) {
	page = string(body)
	label := charset(parameters)
	if label == "" {
		label = charset(strings.ToLower(page[:min(len(page), prescan)]))
	}
	switch label {
	case "", "utf-8", "utf8":
		return page, true
	case "windows-1252", "cp1252", "iso-8859-1", "iso8859-1", "latin1", "us-ascii", "ascii":
		// one charset on the web (Encoding Standard, "4.2 Names and labels")
		return fromWindows(page), true
	}
	return "", false
}

// charset returns the label after the first charset= of a text.
func charset(text string) (label string) {
	_, rest, _ := strings.Cut(text, "charset=")
	rest = strings.TrimLeft(rest, "\"'")
	if end := strings.IndexAny(rest, white+"\"';,/>"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// windows are the characters of Windows-1252 from 0x80 to 0x9f. All other characters have the same
// code as in Unicode.
var windows = [...]rune{'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ'}

// fromWindows converts a text from Windows-1252 to UTF-8.
func fromWindows(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	for i := 0; i < len(s); i++ {
		c := rune(s[i])
		if c >= 0x80 && c <= 0x9f {
			c = windows[c-0x80]
		}
		b.WriteRune(c)
	}
	return b.String()
}
