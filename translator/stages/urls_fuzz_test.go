package stages

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// FuzzURLs: a URL found by isIn is in the text, with a scheme, the host and the path in this order,
// and a longer URL is not found.
func FuzzURLs(f *testing.F) {
	for _, text := range []string{"https://a.example/x?y=1#z.", "[d](http://A.example:443/p_(q)),",
		"https://a.example", "https://https://a.example/,https://b.example/", "xhttp://a.example/Zürich",
		"|https://a.example/é|"} {
		f.Add(text, "https://a.example/x?y=1")
		f.Add(text, "http://a.example:80")
	}
	f.Fuzz(func(t *testing.T, text, url string) {
		const secret = "s3cret"
		for _, url := range []string{url, url + secret} {
			host, path, ok := splitURL(url)
			if !ok {
				continue
			}
			require.Equal(t, "https://"+host+path, fetchURL(url))
			again, below, ok := splitURL(fetchURL(url))
			require.True(t, ok && below == path)
			if !newSoughtURL(host, path).isIn(text) {
				continue
			}
			require.True(t, again == host || strings.Contains(host, ":"), url)
			found := false
			for _, port := range []string{"", ":443", ":80"} {
				found = found || strings.Contains(strings.ToLower(text),
					"://"+host+port+strings.ToLower(path)) ||
					path == "/" && strings.Contains(strings.ToLower(text), "://"+host+port)
			}
			require.True(t, found, "%q %q", text, url)
			require.True(t, !strings.HasSuffix(path, secret) || strings.Contains(text, secret), "%q %q",
				text, url)
		}
	})
}

// TestCommonBeginning compares common with a plain comparison: every path of up to five letters, every
// text of eight, and all positions, every second, or every third. Each byte of the text is compared at
// most once with success, since the end of the compared text never moves back.
func TestCommonBeginning(t *testing.T) {
	words := func(length int) (list []string) {
		for i := range 1 << length {
			binary := fmt.Sprintf("%0*b", length, i)
			list = append(list, strings.NewReplacer("0", "a", "1", "b").Replace(binary))
		}
		return list
	}
	for length := 1; length <= 5; length++ {
		for _, path := range words(length) {
			for _, text := range words(8) {
				for step := 1; step <= 3; step++ {
					u := newSoughtURL("a.example", path)
					for at := 0; at <= len(text); at += step {
						want := 0
						for want < len(path) && at+want < len(text) && text[at+want] == path[want] {
							want++
						}
						end := u.to
						require.Equal(t, want, u.common(text, at), "%s at %d of %s, step %d", path, at,
							text, step)
						require.GreaterOrEqual(t, u.to, end)
					}
				}
			}
		}
	}
}

// TestURLMemory: the look-ups of an answer allocate at most about the conversation's bytes, since
// the module's heap is never collected.
func TestURLMemory(t *testing.T) {
	for name, unit := range map[string]string{"escapes": `see http:\/\/a) \n`, "capitals": "HTTP://a) "} {
		text := ir.Escaped(strings.Repeat(unit, (1<<20)/len(unit)))
		output := ir.Content{Hosted: &ir.Hosted{Kind: ir.WebFetchTool, Made: true,
			URL: `https:\/\/a.example\/`, Output: text}}
		search := ir.Content{Hosted: &ir.Hosted{Kind: ir.WebSearchTool, Made: true}}
		for range 10_000 {
			search.Hosted.Pages = append(search.Hosted.Pages, `https:\/\/b.example\/`)
		}
		w := &WebTools{Request: &ir.Request{Messages: []ir.Message{
			{Role: ir.User, Content: []ir.Content{{Kind: ir.TextContent, Text: text}}},
			{Role: ir.Assistant, Content: []ir.Content{output, search}},
		}}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range maxUnseen {
			require.Equal(t, ir.FetchNotInPrior, w.refusal("https://a.example/unknown"), name)
		}
		runtime.ReadMemStats(&after)
		require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(len(text)+len(text)/4), name)
	}
}

// BenchmarkURL looks up 16 URLs of 2 KB in two texts of 4 MB: one nearly has each URL at every
// position, the other has none.
func BenchmarkURL(b *testing.B) {
	const unit = "http://a)"
	for name, text := range map[string]string{"repeats": strings.Repeat(unit, (4<<20)/len(unit)),
		"prose": strings.Repeat("See https://b.example/guide, please. ", (4<<20)/37)} {
		host, path, _ := splitURL(strings.Repeat(unit, (2<<10)/len(unit)) + "/x")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(16 * int64(len(text)))
			for b.Loop() {
				for range maxUnseen {
					if newSoughtURL(host, path).isIn(text) {
						b.Fatal("is there")
					}
				}
			}
		})
	}
}
