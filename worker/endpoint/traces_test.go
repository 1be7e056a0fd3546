package endpoint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTraces(t *testing.T) {
	traces := func(url, headers string) (string, []Header, *Error) {
		return Traces(func(name string) (string, bool) {
			v := map[string]string{"OTLP_URL": url, "OTLP_HEADERS": headers}[name]
			return v, v != ""
		})
	}
	for _, test := range []struct {
		url, headers string
		want         []Header
	}{
		{"", "", nil},
		{"http://127.0.0.1:4318", "", nil},
		{"https://otel.example/in", " Authorization = Basic%20YTpi== ,x-key=a%2Cb=c",
			[]Header{{"authorization", "Basic YTpi=="}, {"x-key", "a,b=c"}}},
	} {
		url, got, err := traces(test.url, test.headers)
		assert.Nil(t, err)
		assert.Equal(t, test.want, got)
		assert.Equal(t, test.url, url)
	}
	url, _, err := traces("http://c:4318/", "")
	assert.Nil(t, err)
	assert.Equal(t, "http://c:4318", url)

	for _, url := range []string{"c:4318", "cloudflare:ai", "ftp://c", "http://", "http://private@c",
		"http://c?private=1", "http://c#private", "http://c:x", "http://c/\nprivate"} {
		_, _, err := traces(url, "")
		if assert.NotNil(t, err, url) {
			assert.Equal(t, "OTLP_URL", err.Setting)
			assert.NotContains(t, err.Error(), "private")
		}
	}
	for _, headers := range []string{
		"private", "=private", "a b=private", "a=1,", "a=private%", "a=private%4", "a=private%zz",
		"a=private%0a", "a=private%c3%a9", "a=%20private", "host=private", "Content-Type=private",
	} {
		_, _, err := traces("http://c", headers)
		if assert.NotNil(t, err, headers) {
			assert.Equal(t, "OTLP_HEADERS", err.Setting)
			assert.NotContains(t, err.Error(), "private")
		}
	}
	_, _, err = traces("", "a=private")
	assert.True(t, err != nil && strings.Contains(err.Error(), "OTLP_URL") && !strings.Contains(err.Error(),
		"private"))
}
