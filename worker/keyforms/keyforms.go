// Package keyforms knows the forms of vendors' keys. It masks a key in a short text that a client
// writes, such as the name of a model, before the text reaches a log. wasmtest/record/mask uses the
// same table for whole recordings, and the worker's JavaScript for paths and ids.
package keyforms

import (
	"strconv"
	"strings"
)

// Form is the form of a vendor's keys: a literal beginning, followed by characters of a set. A key
// has at least Least of them, and among them a digit, or else 20. The sources give exact lengths,
// but a key may be truncated.
type Form struct {
	Lead  string
	Set   string // content of a class of a regular expression: ranges, characters and \w
	Least int
	Dots  int // least number of dots
}

// Sets of characters.
const (
	alnum  = "A-Za-z0-9"
	upper  = "A-Z0-9"
	lower  = "a-z0-9"
	hex    = "a-f0-9"
	word   = `\w`
	dashed = `\w-`
	dotted = `\w.-`
)

// Enough is how many characters make a key even without a digit. Fewer may be a word, as in
// sk-learn.
const Enough = 20

// Forms has the known forms. The rules named in the comments are those of gitleaks 8.30
// (config/gitleaks.toml) and of TruffleHog 3 (pkg/detectors).
var Forms = [...]Form{
	// Stripe's webhooks: its documentation, "Verify webhook signatures"
	{Lead: "whsec_", Set: alnum + "+/", Least: 20},
	// OpenAI (sk-, sk-proj-, sk-svcacct-), Anthropic (sk-ant-api03-, sk-ant-oat01-), OpenRouter
	// (sk-or-v1-), DeepSeek, Moonshot, LiteLLM: gitleaks openai-api-key, anthropic-api-key;
	// TruffleHog openrouter, deepseek.
	{Lead: "sk-", Set: dashed, Least: 8},
	{Lead: "gsk_", Set: alnum, Least: 8},    // Groq: TruffleHog groq
	{Lead: "xai-", Set: word, Least: 8},     // xAI: TruffleHog xai
	{Lead: "pplx-", Set: alnum, Least: 8},   // Perplexity: gitleaks perplexity-api-key
	{Lead: "nvapi-", Set: dashed, Least: 8}, // NVIDIA: TruffleHog nvapi
	{Lead: "hf_", Set: alnum, Least: 16},    // Hugging Face: gitleaks huggingface-access-token
	{Lead: "r8_", Set: dashed, Least: 16},   // Replicate: TruffleHog replicate
	{Lead: "csk-", Set: lower, Least: 16},   // Cerebras: TruffleHog cerebras
	{Lead: "AIza", Set: dashed, Least: 8},   // Google: gitleaks gcp-api-key
	{Lead: "ya29.", Set: dashed, Least: 8},  // Google's OAuth: TruffleHog googleoauth2
	// AWS, with the three below: gitleaks aws-access-token
	{Lead: "AKIA", Set: upper, Least: 8},
	{Lead: "ASIA", Set: upper, Least: 8}, //
	{Lead: "ABIA", Set: upper, Least: 8}, //
	{Lead: "ACCA", Set: upper, Least: 8}, //
	// Amazon Bedrock: gitleaks aws-amazon-bedrock-api-key-long-lived
	{Lead: "ABSK", Set: alnum + "+/=", Least: 40},
	// GitHub: gitleaks github-pat, -oauth, -app-token, -refresh-token
	{Lead: "ghp_", Set: alnum, Least: 8},
	{Lead: "gho_", Set: alnum, Least: 8},       //
	{Lead: "ghu_", Set: alnum, Least: 8},       //
	{Lead: "ghs_", Set: alnum, Least: 8},       //
	{Lead: "ghr_", Set: alnum, Least: 8},       //
	{Lead: "github_pat_", Set: word, Least: 8}, // gitleaks github-fine-grained-pat
	{Lead: "glpat-", Set: dotted, Least: 8},    // gitleaks gitlab-pat, gitlab-pat-routable
	{Lead: "npm_", Set: alnum, Least: 8},       // gitleaks npm-access-token
	{Lead: "pypi-AgE", Set: dashed, Least: 8},  // gitleaks pypi-upload-token
	// Slack: gitleaks slack-bot-token and its other Slack rules, slack-app-token
	{Lead: "xox", Set: dotted, Least: 12},
	{Lead: "xapp-", Set: dashed, Least: 10}, //
	// Stripe, with the five below: gitleaks stripe-access-token
	{Lead: "sk_live_", Set: alnum, Least: 10},
	{Lead: "sk_test_", Set: alnum, Least: 10}, //
	{Lead: "sk_prod_", Set: alnum, Least: 10}, //
	{Lead: "rk_live_", Set: alnum, Least: 10}, //
	{Lead: "rk_test_", Set: alnum, Least: 10}, //
	{Lead: "rk_prod_", Set: alnum, Least: 10}, //
	{Lead: "SG.", Set: dotted, Least: 16},     // gitleaks sendgrid-api-token
	{Lead: "dop_v1_", Set: hex, Least: 8},     // gitleaks digitalocean-pat
	{Lead: "dapi", Set: hex, Least: 32},       // gitleaks databricks-api-token
	{Lead: "el_", Set: dashed, Least: 10},     // an endpoint's of ours: endpoint.NewKey
	// JWS and JWE (RFC 7515 and 7516, section 7.1): gitleaks jwt
	{Lead: "eyJ", Set: dotted, Least: Enough, Dots: 1},
}

// Pattern returns a regular expression for Go and JavaScript that matches what follows Lead in a
// key, and in words that are too short for a key and have no digit.
func (f *Form) Pattern() string { return "[" + f.Set + "]{" + strconv.Itoa(f.Least) + ",}" }

// Mask returns a text with by instead of each key. The text must be short: the time may grow with
// the square of its length.
func Mask(text, by string) string {
	for from := 0; from < len(text); {
		end := end(text, from)
		if end == 0 {
			from++
			continue
		}
		text = text[:from] + by + text[end:]
		from += len(by)
	}
	return text
}

// Has reports whether a text contains a key.
func Has(text string) bool {
	for from := range len(text) {
		if end(text, from) > 0 {
			return true
		}
	}
	return false
}

// end returns the end of the key that begins in text at from, or 0.
func end(text string, from int) int {
	if from > 0 && isAlnum(text[from-1]) {
		return 0
	}
	for i := range Forms {
		f := &Forms[i]
		if !strings.HasPrefix(text[from:], f.Lead) {
			continue
		}
		at, digits, dots := from+len(f.Lead), 0, 0
		start := at
		for ; at < len(text) && contains(f.Set, text[at]); at++ {
			switch c := text[at]; {
			case '0' <= c && c <= '9':
				digits++
			case c == '.':
				dots++
			}
		}
		if n := at - start; n >= f.Least && dots >= f.Dots && (digits > 0 || n >= Enough) {
			return at
		}
	}
	return 0
}

// contains reports whether a set contains a character.
func contains(set string, c byte) bool {
	for ; set != ""; set = set[1:] {
		switch {
		case set[0] == '\\': // \w
			if isAlnum(c) || c == '_' {
				return true
			}
			set = set[1:]
		case len(set) > 2 && set[1] == '-':
			if set[0] <= c && c <= set[2] {
				return true
			}
			set = set[2:]
		case set[0] == c:
			return true
		}
	}
	return false
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
