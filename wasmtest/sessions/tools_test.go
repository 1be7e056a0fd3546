package sessions_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

// threeAPIs are the APIs with the whole request in the body. Gemini's path has the model and the
// mode.
var threeAPIs = []string{"anthropic", "chat", "responses"}

// sdks runs a test for each SDK and each upstream of the three APIs, streamed and plain.
func sdks(t *testing.T, run func(t *testing.T, u *upstream, client string, stream bool)) {
	t.Parallel()
	each(t, []*upstream{sonnet, anyChat, gpt}, func(t *testing.T, u *upstream) {
		for _, client := range threeAPIs {
			for _, stream := range []bool{true, false} {
				t.Run(client+", "+modeOf(stream), func(t *testing.T) { run(t, u, client, stream) })
			}
		}
	})
}

func weather(id, name, city string) vendors.Call {
	return vendors.Call{ID: id, Name: name, Input: object{"city": city}}
}

// TestCallsAtOnce sends results in a different order than the calls. One of the results is empty.
func TestCallsAtOnce(t *testing.T) {
	sdks(t, func(t *testing.T, u *upstream, client string, stream bool) {
		first := calling("Let me look.", weather("call_a", "get_weather", "Paris"),
			weather("call_b", "get_time", "Rome"), weather("call_c", "get_weather", ""))
		second := calling("", weather("call_d", "get_time", "Paris"))
		up := u.serve(t, first, second, said("It is noon."), said("You are welcome."))
		s := clients.NewSDK(client, up.server)
		s.Stream, s.Tools = stream, []clients.Tool{
			{Name: "get_weather", Schema: citySchema},
			{Name: "get_time", Schema: citySchema},
		}
		got, err := s.Say("What is it like?")
		require.NoError(t, err)
		requireSaid(t, first, "tool", got)
		got, err = s.Answer(clients.Result{ID: "call_c", Output: "result of call_c"},
			clients.Result{ID: "call_a", Output: ""},
			clients.Result{ID: "call_b", Output: "result of call_b"})
		require.NoError(t, err)
		requireSaid(t, second, "tool", got)
		got, err = s.Answer(clients.Result{ID: "call_d", Output: "noon"})
		require.NoError(t, err)
		requireSaid(t, said("It is noon."), "end", got)
		got, err = s.Say("Thank you.")
		require.NoError(t, err)
		requireSaid(t, said("You are welcome."), "end", got)
		up.done(t)
	})
}

// TestCallsInALoop runs tools until the model calls none, as the tool runners of the SDKs do.
func TestCallsInALoop(t *testing.T) {
	sdks(t, func(t *testing.T, u *upstream, client string, stream bool) {
		up := u.serve(
			t,
			calling("Let me look.", weather("call_a", "get_weather", "Paris"),
				weather("call_b", "get_weather", "Rome")),
			calling("", weather("call_c", "get_weather", "Oslo")),
			said("Rain everywhere."),
		)
		s := clients.NewSDK(client, up.server)
		s.Stream, s.Tools = stream, []clients.Tool{{Name: "get_weather", Schema: citySchema}}
		var cities []string
		got, err := s.Say("hi")
		require.NoError(t, err)
		for len(got.Calls) > 0 {
			var results []clients.Result
			for _, call := range got.Calls {
				city := call.Input.(object)["city"].(string)
				cities = append(cities, city)
				results = append(results,
					clients.Result{ID: call.ID, Output: strings.Repeat("rain in "+city, len(cities))})
			}
			got, err = s.Answer(results...)
			require.NoError(t, err)
		}
		require.Equal(t, "Rain everywhere.", got.Text)
		require.Equal(t, []string{"Paris", "Rome", "Oslo"}, cities)
		up.done(t)
	})
}
