package translator

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTierAtTheEnd: the last tier that the upstream names says whether the answer was fast.
func TestTierAtTheEnd(t *testing.T) {
	for end, fast := range map[string]bool{"default": false, "priority": true} {
		tap := NewTap(API(Responses), nil)
		response := func(status, tier string) string {
			return `{"id":"resp_1","object":"response","status":"` + status + `","model":"m","output":[],` +
				`"service_tier":"` + tier + `","usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}`
		}
		tap.Push([]byte(`event: response.created` + "\n" + `data: {"type":"response.created","response":` +
			response("in_progress", "priority") + "}\n\n"))
		tap.Push([]byte(`event: response.completed` + "\n" + `data: {"type":"response.completed","response":` +
			response("completed", end) + "}\n\n"))
		require.Equal(t, fast, tap.Fast(), end)
	}
}
