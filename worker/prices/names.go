package prices

import (
	"regexp"
	"strings"
)

var (
	// A dated snapshot costs what its alias costs, unless the table has the snapshot itself:
	// platform.openai.com/docs/models ("Snapshots"), docs.claude.com "Models overview" and Vertex AI's
	// MODEL@DATE.
	snapshot = regexp.MustCompile(`(?:-\d{4}-\d\d-\d\d|-\d{8}|@\d{8}|@default)$`)
	// OpenRouter's variants that only choose among providers or models of the same price:
	// openrouter.ai/docs, "Model variants". ":online" adds a price per search, and ":free" has rows of
	// its own.
	variant = regexp.MustCompile(`:(?:nitro|floor|exacto|thinking|extended)$`)
)

// namesOf returns the names under which the table may have a model, the best one first.
func namesOf(url, model string) []string {
	names := []string{model}
	if strings.Contains(url, "googleapis.com/") {
		model = strings.TrimPrefix(model, "models/") // a name as in Gemini's list of models
		names = append(names, model)
	}
	if strings.Contains(url, "openrouter.ai/") {
		model = variant.ReplaceAllString(model, "")
		names = append(names, model)
	}
	return append(names, snapshot.ReplaceAllString(model, ""))
}
