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
	// OpenRouter's routing variants have the price of their model. Its catalog variants (":free",
	// ":thinking", ":extended", ":batch") have prices of their own, which may be rows of the table:
	// openrouter.ai/docs/guides/routing/model-variants/overview. ":online" adds a price per search.
	variant = regexp.MustCompile(`:(?:nitro|floor|exacto)$`)
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
