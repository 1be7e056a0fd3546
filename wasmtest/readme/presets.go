package readme

import (
	"encoding/json"
	"fmt"
	"os"
)

// Presets returns the table of docs/upstreams.md with the addresses of the page's presets. file is
// presets.json, which has the list of the page (wasmtest/cli, TestPresets).
func Presets(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var presets []struct{ Title, Protocol, URL string }
	if err := json.Unmarshal(text, &presets); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	table := "| server | protocol | URL |\n|---|---|---|\n"
	for _, p := range presets {
		table += fmt.Sprintf("| %s | `%s` | `%s` |\n", p.Title, p.Protocol, p.URL)
	}
	return table, nil
}
