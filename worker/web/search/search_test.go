package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

const key = "key-Of-The-Provider-0123456789"

// asked is a query with all properties that a client may set.
func asked() *Query {
	return &Query{
		Text: "go \"1.26\"\nrelease\x00 notes", Allowed: []string{"Go.dev", "https://example.com/blog/",
			"a b"}, Blocked: []string{"spam.example"},
		Country: "de", City: "Zürich", Region: "ZH", Timezone: "Europe/Zurich", Count: 5,
	}
}

func TestRequests(t *testing.T) {
	for _, row := range []struct {
		provider    Provider
		method, url string
		head, body  string
		lost        string
	}{
		{Provider{Name: Brave, Key: key}, "GET",
			"https://api.search.brave.com/res/v1/web/search?q=go+%221.26%22+release+notes&count=5&result_filter=web&text_decorations=false" +
				"&goggles=%24discard%2Csite%3Dspam.example%0A%24discard%0A%24boost%3D1%2Csite%3Dgo.dev%0A%24boost%3D1%2Csite%3Dexample.com%0A&country=DE",
			"accept: application/json\nx-subscription-token: " + key +
				"\nx-loc-country: DE\nx-loc-state-name: ZH\nx-loc-timezone: Europe/Zurich\n", "", "city"},
		{Provider{Name: Tavily, Key: key}, "POST", "https://api.tavily.com/search",
			"accept: application/json\ncontent-type: application/json\nauthorization: Bearer " + key + "\n",
			`{"query":"go \"1.26\" release notes","max_results":5,"include_domains":["go.dev",` +
				`"example.com"],"exclude_domains":["spam.example"]}`,
			"country,city,region,timezone"},
		{Provider{Name: Exa, Key: key}, "POST", "https://api.exa.ai/search",
			"accept: application/json\ncontent-type: application/json\nx-api-key: " + key + "\n",
			`{"query":"go \"1.26\" release notes","numResults":5,"contents":{"highlights":true},` +
				`"includeDomains":["go.dev","example.com"],"excludeDomains":["spam.example"],` +
				`"userLocation":"DE"}`,
			"city,region,timezone"},
		{Provider{Name: SearXNG, URL: "http://127.0.0.1:8080/searx"}, "GET",
			"http://127.0.0.1:8080/searx/search?format=json&q=go+%221.26%22+release+notes+site%3Ago.dev+OR+site%3Aexample.com+-site%3Aspam.example",
			"accept: application/json\n", "", "country,city,region,timezone"},
	} {
		method, url, headers, body, lost := row.provider.Request(asked())
		head := ""
		for _, h := range headers {
			head += h[0] + ": " + h[1] + "\n"
		}
		require.Equal(t, row.method, method, row.provider.Name)
		require.Equal(t, row.url, url, row.provider.Name)
		require.Equal(t, row.head, head, row.provider.Name)
		require.Equal(t, row.body, string(body), row.provider.Name)
		require.Equal(t, row.lost, strings.Join(lost, ","), row.provider.Name)
		require.NotContains(t, url, key)
	}
	_, url, headers, body, lost := (&Provider{Name: Tavily}).Request(&Query{Text: "x", Country: "xx"})
	require.Equal(t, "https://api.tavily.com/search", url)
	require.Len(t, headers, 3)
	require.Equal(t, `{"query":"x","max_results":10}`, string(body))
	require.Equal(t, []string{"country"}, lost)
	_, url, _, _, lost = (&Provider{Name: Brave}).Request(&Query{Text: "x", Country: "is", Count: 1e9})
	require.Equal(t,
		"https://api.search.brave.com/res/v1/web/search?q=x&count=20&result_filter=web&text_decorations=false", url)
	require.Empty(t, lost, "a country that Brave has no index for goes as the place of the user")
	_, _, _, body, lost = (&Provider{Name: Exa}).Request(&Query{Text: "x", Country: "<b>"})
	require.NotContains(t, string(body), "userLocation")
	require.Equal(t, []string{"country"}, lost)
}

func TestWrongQueries(t *testing.T) {
	require.Nil(t, (&Query{Text: strings.Repeat("é", 400)}).Wrong())
	for text, code := range map[string]string{
		"": "invalid_input", " \x00\u202e\n": "invalid_input", strings.Repeat("é", 401): "query_too_long",
		strings.Repeat("a ", 51): "query_too_long",
	} {
		require.Equal(t, code, (&Query{Text: text}).Wrong().Code, text)
	}
}

// The answers have the same shape as in the providers' documents: Brave's and Exa's API references,
// Tavily's "Search", SearXNG's "Search API".
var answers = map[string]string{
	Brave: `{"type":"search","query":{"original":"go"},"mixed":{},"web":{"type":"search","results":[
		{"title":"<strong>Go</strong> &amp; more","url":"https://go.dev/doc","description":"It&#x27;s <strong>Go</strong>","age":"2 days ago","page_age":"2026-11-20T00:00:00","profile":{"url":"https://x"}}]}}`,
	Tavily: `{"query":"go","answer":null,"images":[],"results":[{"title":"Go & more",` +
		`"url":"https://go.dev/doc","content":"It's Go","score":0.9,"raw_content":null,` +
		`"published_date":"2 days ago"}],"response_time":1.2}`,
	Exa: `{"requestId":"r","resolvedSearchType":"auto","results":[{"id":"https://x","title":"Go & more","url":"https://go.dev/doc","publishedDate":"2 days ago","author":null,
		"highlights":["It's","Go"],"highlightScores":[0.4]}],"costDollars":{"total":0.005}}`,
	SearXNG: `{"query":"go","number_of_results":0,"results":[{"url":"https://go.dev/doc","title":"Go & more","content":"It's Go","publishedDate":"2 days ago","engine":"x","parsed_url":["https","go.dev"]}],
		"answers":[],"corrections":[],"infoboxes":[],"suggestions":[],"unresponsive_engines":[]}`,
}

func TestAnswers(t *testing.T) {
	for name, answer := range answers {
		got, failed := (&Provider{Name: name}).Read(&Query{}, 200, []byte(answer))
		require.Nil(t, failed, name)
		text := "It's Go"
		if name == Exa {
			text = "It's\nGo"
		}
		require.Equal(t, []Result{{"https://go.dev/doc", "Go & more", text, "2 days ago"}}, got, name)
	}
	got, failed := (&Provider{Name: Brave}).Read(&Query{}, 200,
		[]byte(`{"type":"search","query":{"original":"zzz"}}`))
	require.Nil(t, failed, "Brave leaves web out where it has found nothing")
	require.Empty(t, got)
}

func TestErrors(t *testing.T) {
	for _, row := range []struct {
		provider string
		status   int
		body     string
		code     string
		says     string
	}{
		{Brave, 422, `{"type":"ErrorResponse","error":{"code":"SUBSCRIPTION_TOKEN_INVALID","status":422}}`,
			"unavailable", "the key"},
		{Brave, 404, `{"type":"ErrorResponse","error":{"code":"SUBSCRIPTION_NOT_FOUND"}}`, "unavailable",
			"the key"},
		{Brave, 422, `{"type":"ErrorResponse","error":{"code":"VALIDATION"}}`, "invalid_input", "request"},
		{Brave, 429, `{"type":"ErrorResponse","error":{"code":"RATE_LIMITED"}}`, "too_many_requests",
			"at a time"},
		{Brave, 429, `{"type":"ErrorResponse","error":{"code":"QUOTA_LIMITED"}}`, "unavailable", "quota"},
		{Tavily, 400, `{"detail":{"error":"Query is too long. Max query length is 400 characters."}}`,
			"query_too_long", "too long"},
		{Tavily, 401, `{"detail":{"error":"Unauthorized: missing or invalid API key."}}`, "unavailable",
			"the key"},
		{Tavily, 429, `{"detail":{"error":"Your request has been blocked due to excessive requests."}}`,
			"too_many_requests", "at a time"},
		{Tavily, 432, `{"detail":{"error":"This request exceeds your plan's set usage limit."}}`,
			"unavailable", "quota"},
		{Tavily, 433, `{"detail":{"error":"This request exceeds the pay-as-you-go limit."}}`, "unavailable",
			"quota"},
		{Exa, 400, `{"requestId":"r","error":"Invalid request body","tag":"INVALID_REQUEST_BODY"}`,
			"invalid_input", "request"},
		{Exa, 401, `{"requestId":"r","error":"Invalid API key","tag":"INVALID_API_KEY"}`, "unavailable",
			"the key"},
		{Exa, 402, `{"requestId":"r","error":"out of credits","tag":"NO_MORE_CREDITS"}`, "unavailable",
			"quota"},
		{SearXNG, 403, "<html>", "unavailable", "search.formats"},
		{SearXNG, 429, "Too Many Requests", "too_many_requests", "at a time"},
		{SearXNG, 302, "", "unavailable", "redirect"},
		{Exa, 500, "", "unavailable", "now"},
		{Tavily, 200, "<html>", "unavailable", "no JSON"},
		{Tavily, 200, `[1]`, "unavailable", "without results"},
		{SearXNG, 200, `{"results":null}`, "unavailable", "without results"},
	} {
		got, failed := (&Provider{Name: row.provider, Key: key}).Read(&Query{}, row.status,
			[]byte(row.body+echo(row.status)))
		require.Nil(t, got)
		require.NotNil(t, failed, row.body)
		require.Equal(t, row.code, failed.Code, row.body)
		require.Contains(t, failed.Reason, row.says)
		require.NotContains(t, failed.Reason, key)
	}
}

// echo is a key that a provider repeats in an error.
func echo(status int) string {
	if status == 200 {
		return ""
	}
	return key
}

func TestHostileResults(t *testing.T) {
	list := ""
	for _, url := range []string{
		"javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,x", "file:///etc/passwd", "https://",
		"https:///x", "https://user@evil.example/", "ftp://a.example/",
		"https://a.example/\\u0000", "https://a.example/\\\"onclick=", "https://a.example/<script>",
		"//a.example/", "", "https://a.example/" + strings.Repeat("x", 3000),
		"https://ok.example/1", "https://ok.example/1", "http://ok.example/2",
	} {
		list += `{"url":"` + url + `","title":"a\u0000\u001b[31m\u202eb\ud800 ` + strings.Repeat("t", 500) +
			`","content":"` + strings.Repeat("c \\n", 5000) + `"},`
	}
	list += `7,null,[],{"url":{"a":1}},{"url":"https://ok.example/3","title":{"x":1},"content":[1]}`
	got, failed := (&Provider{Name: Tavily}).Read(&Query{}, 200, []byte(`{"results":[`+list+`]}`))
	require.Nil(t, failed)
	require.Len(t, got, 3)
	for _, r := range got {
		for _, text := range []string{r.URL, r.Title, r.Text, r.Age} {
			require.True(t, utf8.ValidString(text))
			require.NotContains(t, text, "\x00")
			require.NotContains(t, text, "\x1b")
			require.NotContains(t, text, "\u202e")
		}
		require.LessOrEqual(t, len(r.Title), maxTitle)
		require.LessOrEqual(t, len(r.Text), maxSnippet)
	}
	require.Equal(t, "ok.example", got[2].Title)

	many := strings.Repeat(`{"url":"https://a.example/"},`, 5) + strings.Repeat(`{"url":"x"},`, 50_000)
	got, failed = (&Provider{Name: Exa}).Read(&Query{Count: 1 << 30}, 200, []byte(`{"results":[`+many+`{}]}`))
	require.Nil(t, failed)
	require.Len(t, got, 1)

	_, failed = (&Provider{Name: Exa}).Read(&Query{}, 200, []byte(`{"results":["`+strings.Repeat("x", 10<<20)+
		`"]}`))
	require.Equal(t, "unavailable", failed.Code)
}

func TestDomains(t *testing.T) {
	for _, row := range []struct {
		allowed, blocked, url string
		want                  bool
	}{
		{"", "", "https://a.example/", true},
		{"example.com", "", "https://example.com/x", true},
		{"example.com", "", "https://docs.EXAMPLE.com./x", true},
		{"example.com", "", "https://notexample.com/x", false},
		{"example.com", "", "https://example.com.evil.example/", false},
		{"example.com", "", "https://evil.example/?example.com", false},
		{"example.com", "", "https://example.com:443/", true},
		{"docs.example.com", "", "https://example.com/", false},
		{"example.com/blog", "", "https://example.com/blog", true},
		{"example.com/blog", "", "https://example.com/blog/post?x", true},
		{"example.com/blog", "", "https://example.com/blogs", false},
		{"example.com/*/api", "", "https://example.com/v2/api/x", true},
		{"example.com/*/api", "", "https://example.com/v2/docs", false},
		{"https://example.com/", "", "https://example.com/a", true},
		{"*.example.com", "", "https://a.example.com/a", true},
		{"", "example.com", "https://a.example.com/", false},
		{"", "example.com/ads", "https://example.com/", true},
		{"example.com", "a.example.com", "https://a.example.com/", false},
	} {
		d := Domains{}
		if row.allowed != "" {
			d.Allowed = []string{row.allowed}
		}
		if row.blocked != "" {
			d.Blocked = []string{row.blocked}
		}
		require.Equal(t, row.want, d.Allow(row.url), row)
	}
	got, _ := (&Provider{Name: Tavily}).Read(&Query{Allowed: []string{"go.dev"}}, 200,
		[]byte(`{"results":[{"url":"https://evil.example/"},{"url":"https://go.dev/"}]}`))
	require.Len(t, got, 1, "whatever the provider made of the list")
}

func FuzzRead(f *testing.F) {
	for name, answer := range answers {
		f.Add(name, 200, answer)
	}
	f.Fuzz(func(t *testing.T, name string, status int, answer string) {
		got, failed := (&Provider{Name: name}).Read(&Query{Blocked: []string{"evil.example"}}, status,
			[]byte(answer))
		require.True(t, failed == nil || got == nil)
		require.LessOrEqual(t, len(got), usual)
		for _, r := range got {
			require.True(t, isURL(r.URL))
			require.True(t, utf8.ValidString(r.Title+r.Text+r.Age))
		}
	})
}

func FuzzRequest(f *testing.F) {
	f.Add("go", "a.example", "de", "Zürich")
	f.Fuzz(func(t *testing.T, text, domain, country, city string) {
		q := &Query{Text: text, Allowed: []string{domain}, Country: country, City: city}
		for _, name := range strings.Split(Names, "|") {
			_, url, headers, body, _ := (&Provider{Name: name, Key: key}).Request(q)
			require.True(t, name == SearXNG || isURL(url), url)
			require.True(t, body == nil || gjson.ValidBytes(body), string(body))
			for _, h := range headers {
				require.True(t, isHeaderValue(h[1]))
			}
		}
	})
}
