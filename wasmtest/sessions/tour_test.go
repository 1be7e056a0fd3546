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

// tourist is a client that changes its upstream during a session.
type tourist struct {
	name string

	// start returns a session with a server: a function that asks a question and runs tools until
	// the model calls none. Each call gets a text from result.
	start func(t *testing.T, at clients.Server, result func() string) func(question string) (string, error)

	calls   func(n int) []vendors.Call // calls in the n-th turn
	without *upstream                  // an upstream to leave out
	between bool                       // changes the upstream only between turns
}

// sdkSession returns the start of a tourist with an official SDK.
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
		between: true, // with a budget, Claude must think before the calls of a turn
	},
	{
		name: "OpenAI's SDK for Chat", start: sdkSession("chat", object{"model": "gpt-4.1"}),
		calls: func(int) []vendors.Call { return look },
		// passthrough requests are not corrected, and the SDK sends one Chat server's reasoning to
		// any other Chat server
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

// routes returns all routes that start with two given upstreams (possibly the same upstream twice),
// continue with all others, and end at the first upstream.
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

// TestTour moves sessions from one upstream to the next and back, in the middle of a turn and
// between turns. Each upstream must accept the reasoning and the calls of all others.
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

// tour has each upstream of a route answer two or three requests (each). The first two answers have
// calls, and the third answer ends the turn. With two requests, the next upstream receives the
// results of the second answer's calls. The last answer of a route always ends the turn.
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
	var mu sync.Mutex // Claude Code runs tools concurrently
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

// roundTripper makes a function an http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
