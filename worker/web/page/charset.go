package page

import "strings"

// prescan is how many bytes of a page may say its charset (HTML, "13.2.3.2 Determining the character encoding").
const prescan = 1024

// decoded returns a page as a text. Its charset stands in the parameters of its content-type, in lower case, or at the page's beginning. ok is false
// where it is neither UTF-8 nor Windows-1252, whose bytes would make no text.
func decoded(parameters string, body []byte) (page string, ok bool) {
	page = string(body)
	label := charset(parameters)
	if label == "" {
		label = charset(strings.ToLower(page[:min(len(page), prescan)]))
	}
	switch label {
	case "", "utf-8", "utf8":
		return page, true
	case "windows-1252", "cp1252", "iso-8859-1", "iso8859-1", "latin1", "us-ascii", "ascii": // one charset on the web (Encoding Standard, "4.2 Names and labels")
		return fromWindows(page), true
	}
	return "", false
}

// charset returns the label behind the first charset= of a text.
func charset(text string) (label string) {
	_, rest, _ := strings.Cut(text, "charset=")
	rest = strings.TrimLeft(rest, "\"'")
	if end := strings.IndexAny(rest, white+"\"';,/>"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// windows are the characters of Windows-1252 from 0x80 to 0x9f. All others are those of Unicode.
var windows = [...]rune{'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ'}

// fromWindows returns a text of Windows-1252 in UTF-8.
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
