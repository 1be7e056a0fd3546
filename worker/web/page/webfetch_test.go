package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/worker/web/search"
)

func TestWhatMayBeFetched(t *testing.T) {
	for _, url := range []string{"https://a.example/", "https://a.example:443/p?q=1",
		"https://docs.a.example/p"} {
		require.Empty(t, (&Page{URL: url, Own: "me.example"}).Wrong(), url)
	}
	for _, url := range []string{"http://a.example/", "https://a.example:8443/", "https://u:p@a.example/",
		"https://me.example/u/anna", "https://ME.example.:443/",
		"https://169.254.169.254/latest", "https://[::ffff:127.0.0.1]/", "https://[::1]/", "https://127.1/",
		"https://0x7f.1/", "https://2130706433/", "https://localhost/",
		"https://metadata.google.internal/", "https://printer.local/", "https://intranet/",
		"https://a..example/", "https:a.example", "https:///p", "file:///etc/passwd",
		"javascript:alert(1)", "https://a.example%00.b.example/", "cloudflare:ai/run", "", "%"} {
		require.Equal(t, ir.FetchNotAllowed, (&Page{URL: url, Own: "me.example:8787"}).Wrong(), url)
	}
	require.Equal(t, ir.FetchNotAllowed,
		(&Page{URL: "https://a.example/p", Domains: search.Domains{Allowed: []string{"b.example"}}}).Wrong())
	require.Equal(t, ir.FetchNotAllowed, (&Page{URL: "https://x.a.example/p",
		Domains: search.Domains{Blocked: []string{"a.example"}}}).Wrong())
}

func TestRedirects(t *testing.T) {
	from := Page{URL: "https://a.example/x/y?z", Own: "me.example", Max: 5}
	for location, want := range map[string]string{
		"/p": "https://a.example/p", "p#there": "https://a.example/x/p",
		"https://b.example/": "https://b.example/", "//c.example/p": "https://c.example/p",
		"http://169.254.169.254/":     "http://169.254.169.254/",
		"https://[::ffff:127.0.0.1]/": "https://[::ffff:127.0.0.1]/",
	} {
		to, ok := from.Redirected(location)
		require.True(t, ok, location)
		require.Equal(t, want, to.URL)
		require.Equal(t, "me.example", to.Own)
		require.Equal(t, strings.Contains(want, "169.") || strings.Contains(want, "["), to.Wrong() != "",
			location)
	}
	for _, location := range []string{"", "%zz", strings.Repeat("a", 3<<10)} {
		_, ok := from.Redirected(location)
		require.False(t, ok)
	}
}

func read(kind, body string) (title, text, code string) {
	return (&Page{URL: "https://a.example/dir/page", Max: 400}).Read(200, kind, []byte(body))
}

func TestHTML(t *testing.T) {
	title, text, code := read("text/html; charset=utf-8", `<!doctype html><html><head><title> The &amp; page
 </title><style>p{color:red}</style><script>if (a < b) alert("</p>")</script></head>
<body hidden-x><nav><a href="/">Home</a> <a href="../up?a=1&amp;b=2#part">Up</a><a href="javascript:x()">no</a><a href="https://b.example/p"></a></nav>
<h1>Head</h1><p>One   &lt;two&gt; &#8212;&#x2014; &euro; &unknown;<!-- never -->
three<br>four</p><p style="display: none">unseen</p><div hidden>unseen <div>deep</div> unseen</div>
<ul><li>a</li><li>b</li></ul><pre>x = 1
  y</pre><table><tr><td>1</td><td>2</td></tr></table><template>unseen</template>end`)
	require.Empty(t, code)
	require.Equal(t, "The & page", title)
	require.Equal(t,
		"[Home](https://a.example/) [Up](https://a.example/up?a=1&b=2)no\n\n# Head\n\nOne <two> —— € "+
			"&unknown; three\nfour\n\n- a\n- b\n\n```\nx = 1\n  y\n```\n\n1 | 2 |\n\nend", text)
}

func TestOtherTexts(t *testing.T) {
	_, text, code := read("application/json", "{\n  \"a\": 1\n}\n")
	require.Equal(t, "{\n  \"a\": 1\n}", text)
	require.Empty(t, code)
	_, text, _ = read("text/plain", "plain\x00 \u202etext\xff")
	require.Equal(t, "plain text", text)
	_, text, _ = read("text/plain", strings.Repeat("word ", 1000))
	require.Less(t, len(text), 400+len(cutHere)+1)
	require.True(t, strings.HasSuffix(text, cutHere))
	title, text, _ := read("", "<html><title>T</title><p>x")
	require.Equal(t, "T x", title+" "+text)
	for kind, want := range map[string]string{"application/pdf": ir.FetchUnsupported,
		"image/svg+xml": ir.FetchUnsupported, "application/octet-stream": ir.FetchUnsupported} {
		_, _, code = read(kind, "%PDF")
		require.Equal(t, want, code)
	}
	_, _, code = read("text/plain", strings.Repeat("a", MaxPage+1))
	require.Equal(t, ir.FetchTooLarge, code)
	for status, want := range map[int]string{404: ir.FetchUnreachable, 500: ir.FetchUnreachable,
		429: ir.SearchTooMany, 206: ir.FetchUnreachable} {
		_, _, code = (&Page{Max: 9}).Read(status, "text/plain", nil)
		require.Equal(t, want, code)
	}
}

func TestTextFor(t *testing.T) {
	require.Equal(t, UsualText, TextFor(0))
	require.Equal(t, 400, TextFor(100))
	require.Equal(t, mostText, TextFor(1<<62))
}

func FuzzHTML(f *testing.F) {
	for _, seed := range []string{`<a href="x">y</a>`, `<title>t`, `<p hidden>a</p>b`, `<a href='`,
		`&#x41;&amp`, `<pre> a`, "<script><!--<script></script>", `<a href=x`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p := Page{URL: "https://a.example/p", Max: 1000}
		title, text, _ := p.Read(200, "text/html", body)
		require.LessOrEqual(t, len(text), p.Max+len(cutHere)+maxLink+4)
		require.LessOrEqual(t, len(title), maxTitle+len(cutHere))
		for _, c := range title + text {
			require.True(t, c == '\n' || c >= ' ' && c != 0x7f && !search.Invisible(c), "%q", c)
		}
	})
}
