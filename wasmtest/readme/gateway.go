package readme

import (
	"fmt"
	"strings"
)

// demand is a row of the table in docs/clients.md on Claude Code's protocol for gateways.
type demand struct {
	demand string // what Claude Code sends or expects
	answer string // what edgelingua does
	tests  string // names as in testsOf, separated by "; "
}

// demands follows code.claude.com/docs/en/llm-gateway-protocol and llm-gateway-connect, read in
// November 2026, and the protocol that Claude Code 2.1.330 serves itself (`claude gateway`, GET
// /protocol).
var demands = []demand{
	{
		"`/v1/messages?beta=true`, `/v1/messages/count_tokens`",
		"served; the query passes to Messages upstreams",
		"serve.TestGatewayBody; serve.TestCountOfMessagesUpstream",
	},
	{
		"`HEAD /api/hello` at its start",
		"200, without a key",
		"serve.TestGreeting",
	},
	{
		"the key in `Authorization`, in `x-api-key`, or in both",
		"accepted; a wrong key is 401",
		"serve.TestGatewayCredentials",
	},
	{
		"`anthropic-version`, `anthropic-beta`: forward, with unknown values",
		"forwarded to Messages upstreams, and replaced by edgelingua's own elsewhere",
		"serve.TestGatewayHeaders",
	},
	{
		"`anthropic-*`: an open list",
		"all forwarded to Messages upstreams; `anthropic-workspace-id`, " +
			"`anthropic-organization-id` and `anthropic-user-profile-id` only with `AUTH=forward`: " +
			"otherwise the upstream's `headers` name the account",
		"serve.TestGatewayHeaders",
	},
	{
		"`x-claude-code-session-id`, `-agent-id`, `-parent-agent-id`, and the headers of " +
			"`CLAUDE_CODE_GATEWAY_HINT_HEADERS`: a gateway may consume them",
		"not forwarded; the first two go into the request log, hashed",
		"serve.TestGatewayHeaders",
	},
	{
		"body fields: an open list, unchanged",
		"Messages upstreams get the body's bytes; translated requests report what is lost in " +
			"`x-edgelingua-lost`",
		"serve.TestGatewayBody; serve.TestRequestsPass; serve.TestMessagesLost",
	},
	{
		"the attribution block stays the first system block",
		"unchanged for Messages; other vendors' models do not get the block",
		"serve.TestGatewayBody; serve.TestMessagesLost",
	},
	{
		"a body for another vendor: the gateway bridges the difference",
		"thinking, effort, formats, context edits, system messages, deferred tools are translated " +
			"or reported",
		"readme.TestReasons; sessions.TestClaudeCode",
	},
	{
		"`safeguards` of auto mode",
		"passes to Messages upstreams; translated requests lose it, and Claude Code, without " +
			"`safeguard_results`, checks commands itself",
		"serve.TestGatewayBody; readme.TestReasons",
	},
	{
		"answers stream, with pings and comments",
		"each piece at once, unchanged; a translated stream sends pings while the upstream is " +
			"silent",
		"serve.TestStreamsPass; serve.TestGatewayPings; serve.TestLateFallback",
	},
	{
		"error bodies unmodified, since retries match their words",
		"unmodified from Messages upstreams, apart from redacted keys and a 404 about the path",
		"serve.TestGatewayErrors; serve.TestLeaks",
	},
	{
		"words of other vendors' errors",
		"`prompt is too long: …`, ``input length and `max_tokens` exceed context limit: …`` and " +
			"`Could not process image: …` before the vendor's own",
		"serve.TestGatewayWords; anthropic.TestOverflow",
	},
	{
		"`retry-after`, `x-should-retry`",
		"passed on; `false` for a spent budget",
		"serve.TestGatewayErrors; serve.TestUpstreamErrors; serve.TestBudgets",
	},
	{
		"`GET /v1/models?limit=1000` in 3 seconds, no redirect",
		"one answer of at most one upstream request, with `id` and `display_name`; Claude Code " +
			"shows ids with `claude` or `anthropic` in them",
		"serve.TestGatewayDiscovery; serve.TestModelsOfAliases",
	},
	{
		"optional: `/managed/settings`, telemetry, `/api/oauth/usage`, sign-in",
		"404, and Claude Code does without",
		"serve.TestGatewayAbsent",
	},
}

// Gateway returns the table of docs/clients.md on Claude Code's protocol for gateways. It fails if
// a row names no test, or a test that does not exist in the repository at root.
func Gateway(root string) (string, error) {
	tests, err := testsOf(root)
	if err != nil {
		return "", err
	}
	table := "| Claude Code | edgelingua | tests |\n|---|---|---|\n"
	for _, d := range demands {
		var names []string
		for _, name := range strings.Split(d.tests, "; ") {
			if !tests[name] {
				return "", fmt.Errorf("%s: there is no test %q", d.demand, name)
			}
			names = append(names, "`"+name+"`")
		}
		table += "| " + d.demand + " | " + d.answer + " | " + strings.Join(names, ", ") + " |\n"
	}
	return table, nil
}
