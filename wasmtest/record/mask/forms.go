package mask

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"

	"edgelingua/worker/keyforms"
)

// form describes the keys of a vendor: a literal beginning and a pattern for the rest.
type form struct {
	lead   string
	follow *regexp.Regexp // matches directly after lead; if the pattern has a group, the group is the key
	keep   int            // bytes of lead that stay in the text
	inside bool           // lead may follow a letter or a digit
	// reports whether the match of follow is a key and not a word; nil: always
	check func(follows string) bool
	// follow begins with [\w-]+. If it fails at one place in a run of [\w-], it fails everywhere in
	// the run.
	run   bool
	index int
}

// longest bounds how many bytes after lead are searched. An RSA key of 16,384 bits has 13 KB as
// PEM.
const longest = 32 << 10

// forms are the known forms of keys: those of keyforms, and those that only a text of several lines,
// or of JSON, can hold. The rules named in the comments are those of gitleaks 8.30
// (config/gitleaks.toml) and of TruffleHog 3 (pkg/detectors).
var forms = append([]form{
	// without a form of its own: TruffleHog aws
	{lead: "aws_secret_access_key", follow: after(awsSecret)},
	{lead: "AWS_SECRET_ACCESS_KEY", follow: after(awsSecret)}, //
	{lead: "SecretAccessKey", follow: after(awsSecret)},       //
	{lead: "hooks.slack.com/", follow: after(`[\w/-]{20,}`)},  // gitleaks slack-webhook-url
	// JWS and JWE: see keyforms
	{lead: "eyJ", follow: after(`[\w-]{8,}(?:\.[\w-]*){1,4}`), run: true},
	// PEM (RFC 7468) and OpenPGP's armor: gitleaks private-key. A block without its end is masked
	// as far as it goes.
	{lead: "-----BEGIN ", inside: true,
		follow: after(`[A-Z0-9 ]{1,40}-----(?:[^"]*?-----END [A-Z0-9 ]{1,40}-----|[A-Za-z0-9+/=\s]*)`)},
	// RFC 6750, section 2.1
	{lead: "Bearer ", keep: len("Bearer "), follow: after(`[\w.~+/=-]{16,}`), check: hasDigit},
	{lead: "bearer ", keep: len("bearer "), follow: after(`[\w.~+/=-]{16,}`), check: hasDigit},
	{lead: "Basic ", keep: len("Basic "), follow: after(`[\w+/-]{8,}={0,2}`), check: isBasic}, // RFC 7617
	{lead: "basic ", keep: len("basic "), follow: after(`[\w+/-]{8,}={0,2}`), check: isBasic},
	// RFC 3986, section 3.2.1
	{lead: "://", keep: len("://"), inside: true, follow: after(`[^/\s:@"'<>]*:[^/\s@"'<>]{3,}@`)},
}, simpleForms()...)

// simpleForms returns the forms of keyforms, except the one that needs a dot.
func simpleForms() (simple []form) {
	for i := range keyforms.Forms {
		if f := &keyforms.Forms[i]; f.Dots == 0 {
			simple = append(simple, form{lead: f.Lead, follow: after(f.Pattern()), check: isKey})
		}
	}
	return simple
}

// keyMembers are JSON members whose strings are keys in any form: members of MCP servers and
// connectors (authorization_token in Anthropic's mcp_servers, authorization in OpenAI's tool mcp),
// and of data that tools read and write. "token" is missing because logprobs use that name.
var keyMembers = []string{
	"authorization_token", "authorization", "Authorization", "access_token", "refresh_token",
	"client_secret", "api_key", "apiKey", "api-key",
	"x-api-key", "X-Api-Key", "X-API-Key", "private_key", "secret_key", "password",
}

var member = after(`\s*:\s*"((?:[^"\\]|\\.){4,})`)

// headers matches the headers that a request sets for an MCP server (OpenAI's tool mcp): an object
// of strings. An object with a "type" is a schema and not matched.
var (
	headers     = regexp.MustCompile(`\A\s*:\s*\{(?:\s*"[^"\\]*"\s*:\s*"(?:[^"\\]|\\.)*"\s*,?)+\s*\}`)
	headersLead = `"headers"`
	ofHeaders   = regexp.MustCompile(`"([^"\\]*)"\s*:\s*"((?:[^"\\]|\\.)+)"`)
)

// inHeaders calls found with the position of each value in the object after headersLead.
func inHeaders(rest string, found func(from, to int)) {
	object := headers.FindString(rest)
	if strings.Contains(object, `"type"`) {
		return
	}
	for _, at := range ofHeaders.FindAllStringSubmatchIndex(object, -1) {
		found(at[4], at[5])
	}
}

const awsSecret = `["'\\]*\s*[:=]\s*["'\\]*[A-Za-z0-9/+]{40}`

// after compiles a pattern for the text after a form's lead.
func after(pattern string) *regexp.Regexp { return regexp.MustCompile(`\A(?:` + pattern + `)`) }

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// isKey reports whether s continues a key, rather than a name such as sk-learn or el_header.
func isKey(s string) bool { return hasDigit(s) || len(s) >= 20 }

// isBasic reports whether s is the base64 of USER:PASSWORD.
func isBasic(s string) bool {
	text, err := base64.StdEncoding.DecodeString(s)
	return err == nil && strings.Contains(string(text), ":")
}

// mostForms is at least the number of forms and members.
const mostForms = 100

// byLead has the forms, including those for keyMembers, by the first byte of lead. It sets the
// index of each form.
var byLead = func() (table [256][]*form) {
	all := slices.Clone(forms)
	for _, name := range keyMembers {
		all = append(all, form{lead: name + `"`, follow: member})
	}
	for i := range all {
		f := &all[i]
		f.index = i
		table[f.lead[0]] = append(table[f.lead[0]], f)
	}
	return table
}()

// findForms calls found with the position of each match of a form in text. It reads the text once,
// and no form reads a byte more than twice.
func findForms(text string, found func(from, to int)) {
	var ends [mostForms]int // offset up to which each form was searched for
	for at := range len(text) {
		for _, f := range byLead[text[at]] {
			if !strings.HasPrefix(text[at:], f.lead) || !f.inside && at > 0 && isWord(text[at-1]) ||
				at < ends[f.index] {
				continue
			}
			ends[f.index] = f.match(text, at, found)
		}
		if text[at] == '"' && strings.HasPrefix(text[at:], headersLead) {
			from := at + len(headersLead)
			inHeaders(text[from:min(len(text), from+longest)], func(start, end int) {
				found(from+start, from+end)
			})
		}
	}
}

// submatch is replaced by a test that counts the bytes read by patterns.
var submatch = (*regexp.Regexp).FindStringSubmatchIndex

// match calls found if the form matches with its lead at the offset at. It returns the offset at
// which the search for the form continues.
func (f *form) match(text string, at int, found func(from, to int)) int {
	from := at + len(f.lead)
	rest := text[from:min(len(text), from+longest)]
	if f.inside {
		if next := strings.Index(rest, f.lead); next >= 0 {
			rest = rest[:next] // otherwise a text with many leads would be searched from each lead to its end
		}
	}
	match := submatch(f.follow, rest)
	switch {
	case match == nil && f.run:
		for from < len(text) && (isWord(text[from]) || text[from] == '-' || text[from] == '_') {
			from++
		}
		return from
	case match == nil || f.check != nil && !f.check(rest[:match[1]]):
		return from
	case len(match) > 2:
		found(from+match[2], from+match[3])
	default:
		found(at+f.keep, from+match[1])
	}
	return from + match[1]
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
