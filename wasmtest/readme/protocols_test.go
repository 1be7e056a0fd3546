package readme

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
)

// TestProtocols compares the lists of protocols in texts that are written by hand with
// translator.APIs.
func TestProtocols(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(root + "/" + path)
		require.NoError(t, err)
		return string(text)
	}
	var clients, upstreams []string
	for _, api := range translator.APIs {
		if upstreams = append(upstreams, api.Name); api.HasClients() {
			clients = append(clients, api.Name)
		}
		for _, path := range []string{"release/npm/README.md", "release/template/package.json",
			"release/npm/library/index.d.ts", "llms.txt"} {
			require.Contains(t, strings.Join(strings.Fields(read(path)), " "), titleOf(api.Title), path)
		}
	}
	types := read("release/npm/library/index.d.ts")
	names := regexp.MustCompile(`"(\w+)"`)
	list := func(name string) (found []string) {
		line := regexp.MustCompile(`export type ` + name + ` = (.*);`).FindStringSubmatch(types)
		require.NotNil(t, line, name)
		for _, m := range names.FindAllStringSubmatch(line[1], -1) {
			found = append(found, m[1])
		}
		return found
	}
	require.ElementsMatch(t, clients, list("ClientProtocol"))
	require.ElementsMatch(t, upstreams, append(list("ClientProtocol"), list("UpstreamProtocol")...))
	for _, name := range upstreams {
		require.Contains(t, read("release/template/package.json"), "`"+name+"`")
	}
}

// titleOf returns the part of a protocol's title that every text has: lists name OpenAI only once.
func titleOf(title string) string {
	words := strings.Fields(title)
	return words[len(words)-1]
}
