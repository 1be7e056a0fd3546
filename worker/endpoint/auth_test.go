package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeyHeader(t *testing.T) {
	const chat, azure = "https://one.example/v1", "https://r.openai.azure.com/openai/deployments/gpt"
	for _, c := range []struct {
		protocol, url, options string
		bearer                 bool
		name, before           string
	}{
		{"chat", chat, "{}", false, "authorization", "Bearer "},
		{"responses", chat, "{}", false, "authorization", "Bearer "},
		{"anthropic", chat, "{}", false, "x-api-key", ""},
		{"anthropic", chat, "{}", true, "authorization", "Bearer "},
		{"anthropic", chat, `{"auth":"bearer"}`, false, "authorization", "Bearer "},
		{"anthropic", chat, `{"auth":"api-key"}`, true, "api-key", ""},
		{"chat", chat, `{"auth":"x-api-key"}`, false, "x-api-key", ""},
		{"chat", chat, `{"auth":"api-key"}`, true, "api-key", ""},
		{"chat", azure, "{}", false, "api-key", ""},
		{"chat", azure, "{}", true, "authorization", "Bearer "},
		{"chat", azure, `{"auth":"bearer"}`, false, "authorization", "Bearer "},
		{"chat", "https://r.openai.azure.com/openai/v1", "{}", false, "authorization", "Bearer "},
	} {
		e, err := Parse("anna", `{"version":1,"upstreams":[{"name":"a","protocol":"`+c.protocol+`","url":"`+
			c.url+`","options":`+c.options+`}]}`)
		require.Nil(t, err)
		u := &e.Upstreams[0]
		u.Bearer = c.bearer
		name, before := u.KeyHeader()
		require.Equal(t, []string{c.name, c.before}, []string{name, before}, "%+v", c)
	}
}

func TestKeyHeaderIsOneOfFew(t *testing.T) {
	for wrong, meant := range map[string]string{`"cookie"`: "", `"authorization"`: "",
		`"x-api-key: 1\r\nx-evil"`: "", `"X-Api-Key"`: " Did you mean 'x-api-key'?", `""`: "", `null`: "",
		`["bearer"]`: ""} {
		_, err := Parse("anna",
			`{"version":1,"upstreams":[{"name":"a","protocol":"chat","url":"https://one.example",`+
				`"options":{"auth":`+wrong+`}}]}`)
		require.NotNil(t, err, wrong)
		require.Equal(t, `upstreams[0].options.auth must be one of "bearer", "x-api-key", "api-key".`+meant,
			err.Error(), wrong)
	}
}
