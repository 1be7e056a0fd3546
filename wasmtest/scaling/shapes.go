//go:build unix

package scaling

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Texts are parts of suspicious texts, repeated up to a size: escapes of JSON and HTML, and near
// matches of each search in a text. They are the contents of a JSON string.
var Texts = map[string]string{
	"letters": "a", "words": "a word ", "spaces": " ", "line breaks": `\n`, "CRLF": `\r\n`, "tabs": `\t`,
	"quotes": `\"`, "backslashes": `\\`, "layers": `\\\\\\\"`, "slashes": `\/`, "accents": `\u00e9`,
	"pairs": `\ud83d\ude00`, "half pairs": `\ud83d`, "é": "é", "漢": "漢", "emoji": "😀",
	"marks": ".,;:!?)", "digits": "0123456789", "base64": "QUJD", "percent": "%25", "references": "&amp;",
	"half references": "&a", "open objects": `{\"a\":`, "open arrays": "[", "objects": `{\"a\":1}`,
	"arrays": "[]", "members": `\"a\":1,`, "numbers": "1,", "URLs": "http://a)", "schemes": "://",
	"links": "[a](", "image links": "![](data:image/png;base64,", "data URLs": "data:;base64,",
	"fences": "```", "fenced JSON": "```json\\n{", "calls": "<tool_call>", "functions": "<function=a>",
	"parameters": "<parameter=a>", "invocations": "<invoke name=\\\"a\\\">", "closing calls": "</tool_call",
	"thoughts": "<think>", "closing thoughts": "</think", "citations": "【1†", "envelopes": "el1::w::",
	"keys": "sk-", "tokens": "-eyJ", "reminders": "<system-reminder>", "comments": "<!--", "tags": "<a ",
	"half tags": "<", "events": `data: `, "patches": `*** Begin Patch\n`, "hunks": `@@\n+a\n`,
	"dashes": "-", "stars": "*", "underscores": "_", "pipes": "|a",
}

// Values are suspicious JSON values of about n bytes.
var Values = map[string]func(n int) string{
	"numbers": func(n int) string { return "[" + strings.Repeat("1,", n/2) + "1]" },
	"strings": func(n int) string { return "[" + strings.Repeat(`"a",`, n/4) + `"a"]` },
	"objects": func(n int) string { return "[" + strings.Repeat(`{"a":1},`, n/8) + `{}]` },
	"texts": func(n int) string {
		return "[" + strings.Repeat(`{"type":"text","text":"a"},`, n/27) + `{}]`
	},
	"empty arrays":  func(n int) string { return "[" + strings.Repeat("[],", n/3) + "[]]" },
	"nested arrays": func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) },
	"nested objects": func(n int) string {
		return strings.Repeat(`{"a":`, n/6) + "1" + strings.Repeat("}", n/6)
	},
	"many keys":   func(n int) string { return "{" + keys(n) + `"z":1}` },
	"one key":     func(n int) string { return "{" + strings.Repeat(`"type":"a",`, n/11) + `"z":1}` },
	"long key":    func(n int) string { return `{"` + strings.Repeat("k", n) + `":1}` },
	"long number": func(n int) string { return strings.Repeat("1", n) },
	"white space": func(n int) string { return strings.Repeat(" ", n) + "null" },
	"properties": func(n int) string {
		return `{"type":"object","properties":{` + strings.ReplaceAll(keys(n), ":1,",
			`:{"type":"string"},`) + `"z":{}}}`
	},
	"required": func(n int) string {
		return `{"type":"object","properties":{` + keys(n/2) + `"z":{}},"required":[` +
			strings.ReplaceAll(keys(n/2), ":1", "") + `"z"]}`
	},
	"references": func(n int) string {
		return `{"$defs":{"a":{"type":"string"}},"anyOf":[` + strings.Repeat(`{"$ref":"#/$defs/a"},`,
			n/21) + `{}]}`
	},
}

// keys returns about n bytes of members with different keys, each followed by a comma.
func keys(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(`"k` + strconv.Itoa(i) + `":1,`)
	}
	return b.String()
}

// Plain returns the parts of Texts as they are outside of JSON, and more of them, as cases of run.
// before and after surround each text.
func Plain(before, after string, more []string, run func(text string)) Cases {
	return func(yield func(Case) bool) {
		parts := slices.Clone(more)
		for _, name := range sorted(Texts) {
			var part string
			if json.Unmarshal([]byte(`"`+Texts[name]+`"`), &part) == nil {
				parts = append(parts, part)
			}
		}
		for _, part := range parts {
			if !yield(Case{fmt.Sprintf("%q", before+"..."+part+"..."+after), func(size int) func() {
				text := before + Text(part, size) + after
				return func() { run(text) }
			}}) {
				return
			}
		}
	}
}

// Text returns a part repeated to about n bytes.
func Text(part string, n int) string { return strings.Repeat(part, n/len(part)+1) }
