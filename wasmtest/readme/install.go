package readme

import (
	"cmp"
	"fmt"
	"os"
	"strings"
)

// Install returns a Markdown table of the ways to get the program without a compiler. path is
// release/owner.env, the file with the release owner's choices. Without a choice the table names
// the file in dist/ and no registry: anybody could register the name there and receive readers'
// keys.
func Install(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	owner := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			owner[name] = value
		}
	}
	var b strings.Builder
	if releases := owner["REPOSITORY"]; releases != "" {
		fmt.Fprintf(&b, "[Releases](%s/releases) have all of these:\n\n", releases)
	} else {
		b.WriteString("There is no published release yet. [`./build.sh release`](contributing/release.md) " +
			"in a clone builds one into `dist/`:\n\n")
	}
	npm := "in a folder with `edgelingua-npm.tgz` and `edgelingua-npm-linux-x64.tgz`, or your " +
		"platform's file: `npm install ./edgelingua-npm.tgz ./edgelingua-npm-linux-x64.tgz`, " +
		"then `npx --no edgelingua serve --demo`"
	if scope := owner["NPM_SCOPE"]; scope != "" {
		npm = fmt.Sprintf("`npx %s/edgelingua serve --demo`", scope)
	}
	image := "in a clone, with `dist/`: `docker build -f release/Dockerfile -t edgelingua .`, then " +
		"`docker run --pull never -p 127.0.0.1:8787:8787 edgelingua serve --demo --addr 0.0.0.0:8787`"
	if name := owner["IMAGE"]; name != "" {
		image = fmt.Sprintf("`docker run -p 127.0.0.1:8787:8787 %s:%s serve --demo --addr 0.0.0.0:8787`",
			name, cmp.Or(owner["VERSION"], "latest"))
	}
	b.WriteString("| you have | then |\n|---|---|\n")
	for _, row := range [][2]string{
		{"nothing", "`./edgelingua-linux-amd64 serve --demo`, or the file for `darwin` (macOS), `windows` " +
			"and `arm64`: it contains the module and the page"},
		{"Node 20 or later",
			npm + "; [more](#with-npm). The folder `template` deploys [without a " +
				"compiler](deploy.md#the-worker-prebuilt)"},
		{"Docker", image},
	} {
		fmt.Fprintf(&b, "| %s | %s |\n", row[0], row[1])
	}
	return b.String(), nil
}
