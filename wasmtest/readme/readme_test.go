package readme

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/ledger"
)

var update = flag.Bool("update", false,
	"write the sections of docs/ that are made from the code and the corpus")

// root is the folder of the repository.
const root = "../.."

// documents returns the documents by path from the root: the files at the root, the template of
// pull requests, and docs/.
func documents(t *testing.T) map[string]string {
	paths, err := filepath.Glob(root + "/*.md")
	require.NoError(t, err)
	pages, err := filepath.Glob(root + "/docs/*.md")
	require.NoError(t, err)
	require.Greater(t, len(pages), 10)
	contributing, err := filepath.Glob(root + "/docs/contributing/*.md")
	require.NoError(t, err)
	require.Greater(t, len(contributing), 3)
	paths = append(paths, filepath.Join(root, "e2e/bench/MEASUREMENTS.md"))
	texts := map[string]string{}
	for _, path := range slices.Concat(paths, pages, contributing,
		[]string{root + "/llms.txt", root + "/.github/pull_request_template.md"}) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		texts[filepath.ToSlash(name)] = string(text)
	}
	return texts
}

// TestSections generates each section, and finds the same section in one document.
func TestSections(t *testing.T) {
	sections, err := Settings(root + "/worker/endpoint")
	require.NoError(t, err)
	sections["carried"], err = Carried(root + "/translator/testdata")
	require.NoError(t, err)
	sections["sessions"], _, err = Sessions()
	require.NoError(t, err)
	sections["gateway"], err = Gateway(root)
	require.NoError(t, err)
	sections["clients"], err = Clients(root + "/e2e/clients/results.json")
	require.NoError(t, err)
	sections["presets"], err = Presets(root + "/wasmtest/cli/presets.json")
	require.NoError(t, err)
	sections["install"], err = Install(root + "/release/owner.env")
	require.NoError(t, err)
	sections["example"], err = Example(root + "/translator/example_test.go")
	require.NoError(t, err)
	texts := documents(t)
	for name, section := range sections {
		in := 0
		for path, text := range texts {
			if !strings.Contains(text, "<!-- begin "+name+" -->") {
				continue
			}
			in++
			want, err := Replace(text, name, section)
			require.NoError(t, err, path)
			if *update && want != text {
				require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte(want), 0o644))
				texts[path] = want
				continue
			}
			require.Equal(t, want, text, "%s: go test ./wasmtest/readme -update writes it", path)
		}
		require.Equal(t, 1, in, "documents with the section %s", name)
	}
	for path, text := range texts {
		for _, part := range strings.Split(text, "<!-- begin ")[1:] {
			name, _, _ := strings.Cut(part, " -->")
			require.Contains(t, sections, name, path)
		}
	}
}

// TestInstall tests the effect of the owner's choices on the lines for readers.
func TestInstall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "owner.env")
	require.NoError(t, os.WriteFile(path, []byte("# NPM_SCOPE=@comment\nVERSION=1.2.3\nNPM_SCOPE=\n"), 0o600))
	unset, err := Install(path)
	require.NoError(t, err)
	require.NotContains(t, unset, "@")
	require.Contains(t, unset, "There is no published release yet.")
	require.Contains(t, unset, "npx --no edgelingua")
	require.Equal(t, strings.Count(unset, "docker run "), strings.Count(unset, "docker run --pull never "),
		"Docker asks its registry for an image that is not here")
	require.NoError(t, os.WriteFile(path,
		[]byte("VERSION=1.2.3\nNPM_SCOPE=@anna\nIMAGE=images.example.com/el\nREPOSITORY=https://git.example.com/el\n"), 0o600))
	set, err := Install(path)
	require.NoError(t, err)
	for _, wanted := range []string{"(https://git.example.com/el/releases)",
		"`npx @anna/edgelingua serve --demo`", " images.example.com/el:1.2.3 serve"} {
		require.Contains(t, set, wanted)
	}
	require.NotContains(t, set, "no published release")
	require.NotContains(t, set, "--no ")
}

// TestReasons requires a reason for each field in the tables of losses. If the test fails, add its
// lines to the table in wasmtest/ledger/reasons.go, or remove them.
func TestReasons(t *testing.T) {
	fates, err := readFates(root + "/translator/testdata")
	require.NoError(t, err)
	_, ofSessions, err := Sessions()
	require.NoError(t, err)
	missing, unused := mismatches(append(losses(fates), ofSessions...))
	require.Empty(t, missing, "lost without a reason; add to reasons.go:\n%s", strings.Join(missing, "\n"))
	require.Empty(t, unused, "not lost any more; take out of reasons.go:\n%s", strings.Join(unused, "\n"))
}

// TestLength limits what people must read: the lines of the README, and the pages and words of
// docs/, without contributing/ and generated sections.
func TestLength(t *testing.T) {
	texts := documents(t)
	require.LessOrEqual(t, strings.Count(texts["README.md"], "\n"), 120,
		"lines of README.md: docs/ has a page for each question")
	pages, words := 0, 0
	for name, text := range texts {
		if page, ok := strings.CutPrefix(name, "docs/"); ok && !strings.Contains(page, "/") {
			pages++
			words += len(strings.Fields(generated.ReplaceAllString(text, "")))
		}
	}
	require.LessOrEqual(t, pages, 17, "pages in docs/")
	require.LessOrEqual(t, words, 18000, "words in docs/")
}

var generated = regexp.MustCompile(`(?s)<!-- begin .*?<!-- end `)

// TestSearchWords looks for the usual words for edgelingua's features.
func TestSearchWords(t *testing.T) {
	texts := documents(t)
	found := strings.ToLower(texts["README.md"] + texts["docs/README.md"])
	for _, word := range []string{"rate limit", "failover", "fallback", "circuit breaker", "alias",
		"load balancing", "budget", "request log", "prompt caching", "web search"} {
		require.Contains(t, found, word)
	}
}

func TestReplace(t *testing.T) {
	got, err := Replace("a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n", "x", "new\n")
	require.NoError(t, err)
	require.Equal(t, "a\n<!-- begin x -->\nnew\n<!-- end x -->\nb\n", got)
	_, err = Replace("a\n<!-- begin x -->\n", "x", "")
	require.EqualError(t, err, "there is no <!-- end x -->")
	_, err = Replace("a\n", "x", "")
	require.EqualError(t, err, "there is no <!-- begin x -->")
}

func TestSettings(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("package p\n"+text), 0o644))
	}
	write("vars.go",
		"// Variables of the deployment. More.\nconst (\n// one\n// line\na = \"A\"\n)\n// Secrets of the "+
			"deployment.\nconst (\n// b\nb = \"B\"\n)\n")
	write("options.go",
		"func options() []option {\nreturn []option{\n// what o does\n{name: \"o\"},\n}\n}\nfunc "+
			"upstreamOptions() []option {\nreturn []option{\n{name: \"u\"},\n}\n}\n")
	_, err := Settings(folder)
	require.EqualError(t, err, "u has no comment")
	write("options.go",
		"func options() []option {\nreturn []option{\n// what o does\n{name: \"o\"},\n}\n}\nfunc "+
			"upstreamOptions() []option {\nreturn []option{\n// u\n{name: \"u\"},\n}\n}\n")
	sections, err := Settings(folder)
	require.NoError(t, err)
	require.Equal(t, "| variable | what it is |\n|---|---|\n| `A` | one line |\n", sections["variables"])
	require.Equal(t, "| option | what it does |\n|---|---|\n| `o` | what o does |\n", sections["options"])
}

func TestForm(t *testing.T) {
	var request any
	require.NoError(t,
		json.Unmarshal([]byte(`{"messages":[{"content":[{"type":"text"},{"type":"image",`+
			`"source":{"data":"x","url":null}}]}],"tools":[{"input_schema":{"properties":{"a":{"anyOf":[{`+
			`"minimum":1}]}}}}],"stop":[],"stream":false}`), &request))
	for path, want := range map[string]string{
		"top_k":                         "top_k",
		"messages[0].content[1].source": "messages[].content[image].source",
		"messages[0].content[0]":        "messages[].content[text]",
		"tools[0].strict":               "tools[].strict",
		"tools[7]":                      "tools[]",
		"tools[0].input_schema":         "tools[].input_schema",
		"tools[0].input_schema.properties.a.anyOf[0].minimum": "tools[].input_schema..minimum",
	} {
		require.Equal(t, want, form(request, path))
	}
	all := map[string]int{}
	forms("", request, func(form string) { all[form]++ })
	require.Equal(t, map[string]int{"messages": 1, "messages[]": 1, "messages[].content": 1,
		"messages[].content[text]": 1, "messages[].content[text].type": 1,
		"messages[].content[image]": 1, "messages[].content[image].type": 1,
		"messages[].content[image].source": 1, "messages[].content[image].source.data": 1, "tools": 1,
		"tools[]":              1,
		"tools[].input_schema": 1, "tools[].input_schema..properties": 1, "tools[].input_schema..a": 1,
		"tools[].input_schema..anyOf": 2, "tools[].input_schema..minimum": 1}, all)
}

// mismatches compares reasons with the lost fields. It returns fields without a reason and reasons
// without a field, each as a line of the table reasons.
func mismatches(lost []loss) (missing, unused []string) {
	used := map[string]bool{}
	for _, l := range lost {
		_, pattern := ledger.Why(l.client, l.upstream, l.field)
		if line := fmt.Sprintf("{%q, %q, %q, %q},", l.client, l.upstream, "?", l.field); ledger.Because(l.client, false, l.upstream, l.field) == "" &&
			!slices.Contains(missing, line) {
			missing = append(missing, line)
		}
		used[l.client+" "+l.upstream+" "+pattern] = true
	}
	return missing, ledger.Unused(used)
}
