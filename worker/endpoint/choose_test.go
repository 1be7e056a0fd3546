package endpoint

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// TestChooseAsThePage checks Choose with the cases that also test the page's rule.
func TestChooseAsThePage(t *testing.T) {
	text, err := os.ReadFile("testdata/choose.json")
	require.NoError(t, err)
	for _, c := range gjson.ParseBytes(text).Array() {
		var upstreams []map[string]any
		c.Get("upstreams").ForEach(func(name, models gjson.Result) bool {
			u := map[string]any{"name": name.Str, "protocol": "chat", "url": "https://api.example.com"}
			if name.Str == c.Get("cloudflare").Str {
				u["url"] = CloudflareAI
			}
			if models.Exists() && models.Type != gjson.Null {
				u["models"] = json.RawMessage(models.Raw)
			}
			upstreams = append(upstreams, u)
			return true
		})
		record, err := json.Marshal(map[string]any{"version": 1, "upstreams": upstreams,
			"limits": map[string]any{"tokens_per_day": 1}})
		require.NoError(t, err)
		e, failed := Parse("anna", string(record))
		require.Nil(t, failed, c.Raw)
		got := [][2]string{}
		for _, choice := range e.Choose(c.Get("model").Str) {
			got = append(got, [2]string{choice.Name, choice.Model})
		}
		want := [][2]string{}
		for _, to := range c.Get("to").Array() {
			want = append(want, [2]string{to.Get("0").Str, to.Get("1").Str})
		}
		require.Equal(t, want, got, c.Raw)
	}
}
