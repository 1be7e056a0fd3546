package readme

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// run is a row of e2e/clients/results.json: the upstream protocols with which a client has passed a
// suite, and the hosts.
type run struct {
	Client, API, Suite string
	Passed             map[string][]string
}

// Clients returns the table of docs/clients.md with the suites that command-line clients have
// passed. It reads the file written by e2e/clients/clients.test.mjs.
func Clients(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var runs []run
	if err := json.Unmarshal(text, &runs); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	protocols := []string{"anthropic", "chat", "responses", "gemini"}
	names := map[string]string{"anthropic": "Messages", "chat": "Chat Completions", "responses": "Responses",
		"gemini": "Gemini"}
	table := "| client | speaks | suite | upstream: Messages | Chat Completions | Responses | Gemini " +
		"|\n|---|---|---|---|---|---|---|\n"
	for _, r := range runs {
		cells := []string{r.Client, names[r.API], r.Suite}
		for _, protocol := range protocols {
			cells = append(cells, outcome(r.Passed[protocol]))
		}
		table += "| " + strings.Join(cells, " | ") + " |\n"
	}
	return table, nil
}

// outcome names the hosts on which a suite has passed.
func outcome(hosts []string) string {
	switch {
	case slices.Contains(hosts, "workerd") && slices.Contains(hosts, "wazero"):
		return "passes"
	case len(hosts) > 0:
		return "passes on " + hosts[0]
	}
	return "fails"
}
