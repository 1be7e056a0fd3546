package readme

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLinks follows each link of a document inside the repository, to a file or folder and to a
// heading.
func TestLinks(t *testing.T) {
	texts := documents(t)
	for _, name := range []string{"README.md", "RATIONALE.md", "CONTRIBUTING.md", "SECURITY.md",
		"docs/README.md", "AGENTS.md", "llms.txt", "e2e/bench/MEASUREMENTS.md"} {
		require.Contains(t, texts, name)
	}
	followed := 0
	for from, text := range texts {
		for _, target := range Links(text) {
			// GitHub's own form, beside the files
			if strings.Contains(target, "://") || target == "../../security/advisories/new" {
				continue
			}
			followed++
			to, anchor, hasAnchor := strings.Cut(target, "#")
			if to == "" {
				to = from
			} else {
				to = path.Join(path.Dir(from), to)
			}
			info, err := os.Stat(filepath.Join(root, to))
			if err != nil {
				t.Errorf("%s: nothing is at %s", from, target)
				continue
			}
			if strings.HasSuffix(target, "/") && !info.IsDir() {
				t.Errorf("%s: %s is no folder", from, target)
			}
			if hasAnchor && !Anchors(texts[to])[anchor] {
				t.Errorf("%s: %s has no heading %s", from, to, anchor)
			}
		}
	}
	require.Greater(t, followed, 50)
}

// TestPagesAreListed has the index of docs/ name every page, and llms.txt every page for users.
func TestPagesAreListed(t *testing.T) {
	texts := documents(t)
	listed, assisted := Links(texts["docs/README.md"]), Links(texts["llms.txt"])
	for name := range texts {
		if page, ok := strings.CutPrefix(name, "docs/"); ok && page != "README.md" {
			require.Contains(t, listed, page)
			if !strings.Contains(page, "/") {
				require.Contains(t, assisted, name)
			}
		}
	}
}

// TestNamedDocuments looks for each document named by a message, a comment or a setting.
func TestNamedDocuments(t *testing.T) {
	texts := documents(t)
	document := regexp.MustCompile(`\bdocs/[a-z/-]+\.md|\b(e2e/bench/)?[A-Z]+\.md`)
	named := 0
	require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{"node_modules", "build", ".git", ".wrangler",
			"testdata"}, entry.Name()) {
			return filepath.SkipDir
		}
		if !slices.Contains([]string{".go", ".mjs", ".sh", ".toml", ".json"}, filepath.Ext(file)) ||
			slices.Contains([]string{"links_test.go", "package-lock.json"}, filepath.Base(file)) {
			return nil
		}
		text, err := os.ReadFile(file)
		for _, name := range document.FindAllString(string(text), -1) {
			named++
			require.True(t, texts[strings.TrimPrefix(name, "./")] != "", "%s names %s, which is not there",
				file, name)
		}
		return err
	}))
	require.Greater(t, named, 10)
}

// TestIsolation checks the promise of docs/contributing/isolation.md that no module of the worker
// has a variable shared by requests.
func TestIsolation(t *testing.T) {
	files, err := filepath.Glob(root + "/worker/workerd/*.mjs")
	require.NoError(t, err)
	require.Greater(t, len(files), 5)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotRegexp(t, `(?m)^(export )?(let|var) `, string(text), file)
	}
}

func TestLinksOf(t *testing.T) {
	text := "[a](b.md) `[c](d.md)` [e\nf](#g) ![h](i.svg)\n```\n[j](k.md)\n```\n[l](https://m.n)\n"
	require.Equal(t, []string{"b.md", "#g", "i.svg", "https://m.n"}, Links(text))
	require.Equal(t, map[string]bool{"why-are-openais-k-8-not-one": true, "a": true, "a-1": true},
		Anchors("# Why are `OpenAI's` K-8, not one?\ntext\n## A\n```sh\n# no heading\n```\n### A\n#none\n"))
}
