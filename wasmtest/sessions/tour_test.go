package sessions_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

// tourist is a client whose session goes from one upstream to the next.
type tourist struct {
	name string

	// start returns a session at a server: what asks and goes on until nothing is called. Each call
	// gets the text that result returns.
	start func(t *testing.T, at clients.Server, result func() string) func(question string) (string, error)

	calls   func(n int) []vendors.Call // what an upstream calls in the n-th turn
	without *upstream                  // one that it does not go to
	between bool                       // it changes the upstream only between turns
}

// sdkSession is a session of an official SDK.
func sdkSession(
	api string,
	more object,
) func(*testing.T, clients.Server, func() string) func(string) (string, error) {
	return func(_ *testing.T, at clients.Server, result func() string) func(string) (string, error) {
		s := clients.NewSDK(api, at)
		s.Stream, s.More = true, more
		s.Tools = []clients.Tool{
			{
				Name:   "look",
				Schema: object{"type": "object", "properties": object{"city": object{"type": "string"}}},
			},
		}
		return func(question string) (string, error) {
			said, err := s.Say(question)
			for err == nil && len(said.Calls) > 0 {
				var results []clients.Result
				for _, call := range said.Calls {
					results = append(results, clients.Result{ID: call.ID, Output: result()})
				}
				said, err = s.Answer(results...)
			}
			if err != nil {
				return "", err
			}
			return said.Text, nil
		}
	}
}

func claudeTour(version string) func(*testing.T, clients.Server, func() string) func(string) (string, error) {
	return func(t *testing.T, at clients.Server, result func() string) func(string) (string, error) {
		code := claude(t, &served{server: at}, version, func(name string, input object) any {
			if name == "ToolSearch" {
				return []string{input["query"].(string)}
			}
			return result()
		})
		return func(question string) (string, error) { return code.Say(question) }
	}
}

var look = []vendors.Call{{Name: "look", Input: object{"city": "Oslo"}}, {Name: "look", Input: object{}}}

var tourists = []tourist{
	{
		name: "Codex",
		start: func(t *testing.T, at clients.Server, result func() string) func(string) (string, error) {
			c := codex(t, &served{server: at}, "gpt-5.5", func(call clients.Call) any {
				if call.Kind == "search" {
					return clients.Found
				}
				return result()
			})
			return func(question string) (string, error) { return c.Say(question) }
		},
		calls: func(n int) []vendors.Call {
			third := vendors.Call{Namespace: "mcp__weather", Name: "now", Input: object{"city": "Oslo"}}
			if n == 1 {
				third = vendors.Call{Name: "tool_search", Kind: "search", Input: object{"query": "x"}}
			}
			return []vendors.Call{
				{
					Name:  "exec_command",
					Input: object{"cmd": "ls"},
				}, {Name: "apply_patch", Kind: "custom", Input: "x\n"}, third,
				{Namespace: "mcp__srv", Name: "echo", Input: object{"text": "a"}},
			}
		},
	},
	{
		name: "Claude Code", start: claudeTour(clients.AsItComes),
		calls: func(n int) []vendors.Call {
			second := vendors.Call{Name: "WebFetch", Input: object{"url": "x"}}
			if n == 1 {
				second = vendors.Call{Name: "ToolSearch", Input: object{"query": "WebFetch"}}
			}
			return []vendors.Call{{Name: "Bash", Input: object{"command": "ls"}}, second}
		},
	},
	{
		name: "Claude Code with a budget", start: claudeTour(clients.OfAModelWithABudget),
		calls: func(int) []vendors.Call {
			return []vendors.Call{{Name: "Bash", Input: object{"command": "ls"}}}
		},
		between: true, // with a budget Claude must have thought before the calls of a turn
	},
	{
		name: "OpenAI's SDK for Chat", start: sdkSession("chat", object{"model": "gpt-4.1"}),
		calls: func(int) []vendors.Call { return look },
		// where bytes pass nothing is corrected, and the SDK sends the reasoning of one Chat server
		// to any other one
		without: chat,
	},
	{
		name: "Google's SDK",
		start: sdkSession("gemini", object{
			"generationConfig": object{"thinkingConfig": object{"includeThoughts": true}},
		}),
		calls: func(int) []vendors.Call { return look },
	},
}

// routes returns the ways through all upstreams that begin with two of them, which may be the same,
// and end where they began.
func routes(upstreams []*upstream) (all [][]*upstream) {
	for _, a := range upstreams {
		for _, b := range upstreams {
			route := []*upstream{a, b}
			for _, u := range upstreams {
				if u != a && u != b {
					route = append(route, u)
				}
			}
			all = append(all, append(route, a))
		}
	}
	return all
}

// TestTour has sessions that go from one upstream to the next, in the middle of a turn or between
// two, and come back: each upstream accepts what any other has thought and called.
func TestTour(t *testing.T) {
	t.Parallel()
	for _, client := range tourists {
		upstreams := slices.DeleteFunc(slices.Clone(all),
			func(u *upstream) bool { return u == client.without })
		for _, route := range routes(upstreams) {
			var names []string
			for _, u := range route {
				names = append(names, u.kind)
			}
			parallel(t, client.name+", "+strings.Join(names, " to "), func(t *testing.T) {
				if !client.between {
					client.tour(t, route, 2)
				}
				client.tour(t, route, 3)
			})
		}
	}
}

// tour has each upstream of a route make two calls, and the next upstream gets the result of the
// second one. With three requests at each it first ends its turn.
func (c *tourist) tour(t *testing.T, route []*upstream, each int) {
	asked, requests := 0, len(route)*each
	served := map[*upstream]*served{}
	for _, u := range route {
		if served[u] == nil {
			served[u] = u.play(t, func() *vendors.Turn {
				n := asked
				asked++
				if each == 3 && n%3 == 2 || n == requests-1 {
					return &vendors.Turn{
						Reasoning: u.thoughts(n),
						Text:      fmt.Sprintf("Done %d.", n),
						Usage:     usage,
					}
				}
				turn := &vendors.Turn{Reasoning: u.thoughts(n), Calls: c.calls(n + 1), Usage: usage}
				if n%2 == 0 {
					turn.Text = fmt.Sprintf("Step %d.", n)
				}
				turn.Calls = slices.Clone(turn.Calls)
				for i := range turn.Calls {
					ids := "call"
					if u == anthropic {
						ids = "toolu"
					}
					turn.Calls[i].ID = fmt.Sprintf("%s_%d_%d", ids, n, i)
				}
				return turn
			})
		}
	}
	at := clients.Server{
		Key: clientKey,
		Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			return served[route[asked/each]].server.Transport.RoundTrip(r)
		}),
	}
	var mu sync.Mutex // Claude Code runs tools at once
	var results []string
	say := c.start(t, at, func() string {
		mu.Lock()
		defer mu.Unlock()
		results = append(results, fmt.Sprintf("result %d.", len(results)))
		return results[len(results)-1]
	})
	for asked < requests {
		text, err := say("Go on.")
		require.NoError(t, err)
		require.Regexp(t, "^Done", text)
	}
	for _, s := range served {
		require.Empty(t, s.Refused())
	}
	holds(t, served[route[0]].body(-1), results...)
}

// roundTripper is a function that is an http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
