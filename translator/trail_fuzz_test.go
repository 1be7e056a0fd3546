package translator

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzTrail: what a text allows stands in it, with the host behind a scheme and the path behind the host; and nothing can be added to it.
func FuzzTrail(f *testing.F) {
	for _, text := range []string{"https://a.example/x?y=1#z.", "[d](http://A.example:443/p_(q)),", "https://a.example", "https://https://a.example/,https://b.example/", "xhttp://a.example/Zürich", "|https://a.example/é|"} {
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
			require.Equal(t, "https://"+host+path, pageURL(url))
			again, below, ok := splitURL(pageURL(url))
			require.True(t, ok && below == path)
			if !mentions(text, host, path) {
				continue
			}
			require.True(t, again == host || strings.Contains(host, ":"), url)
			found := false
			for _, port := range []string{"", ":443", ":80"} {
				found = found || strings.Contains(strings.ToLower(text), "://"+host+port+strings.ToLower(path)) || path == "/" && strings.Contains(strings.ToLower(text), "://"+host+port)
			}
			require.True(t, found, "%q %q", text, url)
			require.True(t, !strings.HasSuffix(path, secret) || strings.Contains(text, secret), "%q %q", text, url)
		}
	})
}
