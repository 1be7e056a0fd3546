package vendors

import (
	"fmt"
	"regexp"
	"strings"

	"edgelingua/wasmtest/vendors/shape"
)

// The shapes of all APIs share their messages. wording has the vendors' own words for one of them:
// the first group of the pattern is $1, and $path is the member. Anthropic's words are Pydantic's
// (docs.pydantic.dev, "Validation errors"), as in apify/tester-mcp-client#11 (pattern); for a text,
// see anthropics/claude-code#59812. OpenAI's are in Vortiago/mcp-azure-devops#30 (pattern),
// openclaw/openclaw#875 (length) and fhswf/openai-ui#127 (unknown member), and the rest follows
// them. Google's are in the comments of package gemini.
type wording struct {
	pattern                   *regexp.Regexp
	anthropic, openai, google string
}

var wordings = []wording{
	{regexp.MustCompile(`^unknown field$`), "$path: Extra inputs are not permitted",
		"Unknown parameter: '$path'.",
		"Invalid JSON payload received. Unknown name \"$name\" at '$parent': Cannot find field."},
	{regexp.MustCompile(`^required$`), "$path: Field required",
		"Missing required parameter: '$path'.", "$path is not specified"},
	{regexp.MustCompile(`^must be (\w+), not (\w+)$`), "$path: Input should be a valid $1",
		"Invalid type for '$path': expected one of $1, but got $2 instead.", "Invalid value at '$path' ($1)"},
	{regexp.MustCompile(`(?s)^must match /(.*)/: `), "$path: String should match pattern '$1'",
		"Invalid '$path': string does not match pattern. Expected a string that matches the pattern '$1'.",
		"Invalid value at '$path'"},
	{regexp.MustCompile(`^string too long: at most (\d+) characters, not (\d+)$`),
		"$path: String should have at most $1 characters",
		"Invalid '$path': string too long. Expected a string with maximum length $1, but got a string with" +
			" length $2 instead.", "Invalid value at '$path'"},
	{regexp.MustCompile(`^must have at least (\d+) elements$`),
		"$path: List should have at least $1 item after validation, not 0",
		"Invalid '$path': empty array. Expected an array with minimum length $1, but got an empty array" +
			" instead.", "$path is not specified"},
	{regexp.MustCompile(`^must have at most (\d+) elements$`),
		"$path: List should have at most $1 items after validation",
		"Invalid '$path': array too long. Expected an array with maximum length $1.",
		"Invalid value at '$path'"},
	{regexp.MustCompile(`(?s)^must be one of (.*), not (.*)$`), "$path: Input should be $1",
		"Invalid value: $2. Supported values are: $1.", "Invalid value at '$path'"},
	{regexp.MustCompile(`(?s)^unknown value (.*)$`),
		"$path: Input tag $1 does not match any of the expected tags", "Invalid value: $1.",
		"Invalid value at '$path'"},
	{regexp.MustCompile(`^must be from (\S+) to (\S+), not (\S+)$`),
		"$path: Input should be greater than or equal to $1 and less than or equal to $2",
		"Invalid '$path': Expected a value from $1 to $2, but got $3 instead.",
		"$path must be in the range [$1, $2]"},
	{regexp.MustCompile(`^must be an integer$`), "$path: Input should be a valid integer",
		"Invalid type for '$path': expected an integer, but got a decimal number instead.",
		"Invalid value at '$path'"},
	{regexp.MustCompile(`^must not be empty$`),
		"$path: text content blocks must be non-empty",
		"Invalid '$path': empty string. Expected a string with minimum length 1, but got an empty string" +
			" instead.", "$path must not be empty"},
}

var indexes = regexp.MustCompile(`\[(\d+)\]`)

// words returns a refusal in a vendor's own words. of selects the vendor.
func words(r *shape.Refusal, of func(*wording) string) string {
	for i := range wordings {
		found := wordings[i].pattern.FindStringSubmatch(r.Message)
		if found == nil {
			continue
		}
		said, path := of(&wordings[i]), r.Path
		if strings.HasPrefix(said, "$path: ") {
			path = indexes.ReplaceAllString(path, ".$1") // Pydantic joins names and indexes by points
		}
		cut := strings.LastIndexByte(r.Path, '.')
		said = strings.NewReplacer("$path", path, "$name", r.Path[cut+1:], "$parent", r.Path[:max(cut, 0)]).
			Replace(said)
		for n, value := range found[1:] {
			said = strings.ReplaceAll(said, fmt.Sprintf("$%d", n+1), value)
		}
		return said
	}
	return r.Error()
}

func ofAnthropic(w *wording) string { return w.anthropic }
func ofOpenAI(w *wording) string    { return w.openai }
func ofGoogle(w *wording) string    { return w.google }
