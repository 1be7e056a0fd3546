package readme

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// run is a row of e2e/clients/results.json: the upstream protocols with which a client has passed a
// suite, the hosts, and the day of the last run. Fails has the client's faults, by upstream.
type run struct {
	Client, API, Suite, Date string
	Passed                   map[string][]string
	Fails                    map[string]string
}

// names has the protocols' names in the table. upstreams has the upstream protocols, in order.
var (
	names = map[string]string{"anthropic": "Messages", "chat": "Chat Completions", "responses": "Responses",
		"gemini": "Gemini", "interactions": "Interactions"}
	upstreams = []string{"anthropic", "chat", "responses", "gemini", "interactions"}
)

// Clients returns the table of docs/clients.md: the suites that clients have passed, from the file
// written by the tests of the clients. A row has all APIs with the same results.
func Clients(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var runs []run
	if err := json.Unmarshal(text, &runs); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	var rows []string               // without the names of their APIs
	apis := make(map[string]string) // by row
	for _, r := range runs {
		row := strings.Join([]string{r.Client, "%s", r.Suite, outcome(&r), r.Date}, " | ")
		if apis[row] == "" {
			rows = append(rows, row)
			apis[row] = names[r.API]
		} else {
			apis[row] += ", " + names[r.API]
		}
	}
	table := "| client | speaks | suite | passes with | on |\n|---|---|---|---|---|\n"
	for _, row := range rows {
		table += "| " + strings.Replace(row, "%s", apis[row], 1) + " |\n"
	}
	return table, nil
}

// outcome names the upstreams of a suite: first those passed on both hosts, then passed on one, then
// failed. Upstreams without a run are left out.
func outcome(r *run) string {
	var all, other []string
	for _, protocol := range upstreams {
		hosts, tried := r.Passed[protocol]
		switch fault := r.Fails[protocol]; {
		case fault != "":
			other = append(other, "not "+names[protocol]+" (the client "+fault+")")
		case len(hosts) == 2:
			all = append(all, names[protocol])
		case len(hosts) == 1:
			other = append(other, names[protocol]+" on "+hosts[0]+" only")
		case tried:
			other = append(other, "not "+names[protocol])
		}
	}
	if len(all) == len(upstreams) {
		return "all"
	}
	return strings.Join(append(all, other...), ", ")
}
