package cli

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// client is a command-line client for launch.
type client struct {
	name    string // of the command and the program
	title   string
	install string // the command that installs the client
	// asks is a model that the client requests by default; "": the client needs --model.
	asks string
	// vendor is the protocol of the client's own vendor for the model asks.
	vendor string
	// taken is a variable for the client's settings, which must not be set before; "" for none.
	taken string
	// drop are variables of the environment with another server or key for the client.
	drop []string
	// settings returns arguments and variables for a client of base with key. No argument has the
	// key: other users can read arguments.
	settings func(base, key string, u use) (args []string, set map[string]string)
}

// use is what a client is launched for.
type use struct {
	model  string   // the client's model; "": the client chooses
	limits ir.Model // the known limits of the upstream's model for the client's first request
	native bool     // the upstream speaks the protocol of the client's vendor
}

var clients = []*client{claudeCode, codex, opencode}

// ownSecrets are variables with a secret of edgelingua: those of deploy, and the key for another
// server.
var ownSecrets = append(slices.Clone(secretNames), "EDGELINGUA_KEY", credentialsVariable)

// claudeCode follows "Environment variables" and "Authentication" of code.claude.com/docs, for
// Claude Code 2.1.
var claudeCode = &client{
	name:    "claude",
	title:   "Claude Code",
	install: "npm install -g @anthropic-ai/claude-code",
	asks:    "claude-opus-5-5",
	vendor:  "anthropic",
	drop: []string{
		"ANTHROPIC_API_KEY", "ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_OAUTH_TOKEN",
		"CLAUDE_CODE_OAUTH_REFRESH_TOKEN", "CLAUDE_CODE_API_BASE_URL",
		"CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR", "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR",
		"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY",
		"CLAUDE_CODE_USE_MANTLE", "CLAUDE_CODE_USE_ANTHROPIC_AWS",
		"CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD", "CLAUDE_CODE_USE_GATEWAY", "ANTHROPIC_UNIX_SOCKET",
	},
	settings: func(base, key string, u use) ([]string, map[string]string) {
		set := map[string]string{
			"ANTHROPIC_BASE_URL":   base,
			"ANTHROPIC_AUTH_TOKEN": key,
			// Without this variable, the "env" of a settings.json, including the project's, wins
			// over these variables (since 2.1.126).
			"CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST": "1",
		}
		// With another base URL Claude Code sends all MCP tools at once, unless a variable says that
		// the server carries tool_reference. "auto" defers tools only if they fill a tenth of the
		// window: models other than Claude search for tools less well.
		set["ENABLE_TOOL_SEARCH"] = "auto"
		if u.native {
			set["ENABLE_TOOL_SEARCH"] = "true"
		}
		// Claude Code 2.1.330 assumes 200,000 tokens for a model that it does not know.
		if u.limits.Input > 0 {
			set["CLAUDE_CODE_MAX_CONTEXT_TOKENS"] = strconv.FormatInt(u.limits.Input, 10)
		}
		if u.model == "" { // otherwise MODELS maps each listed name to one model
			set["CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY"] = "1"
		} else {
			for _, tier := range []string{"", "_DEFAULT_OPUS", "_DEFAULT_SONNET", "_DEFAULT_HAIKU"} {
				set["ANTHROPIC"+tier+"_MODEL"] = u.model
			}
		}
		for _, name := range []string{"ENABLE_TOOL_SEARCH", "CLAUDE_CODE_MAX_CONTEXT_TOKENS",
			"CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY"} {
			if os.Getenv(name) != "" { // the user's own choice
				delete(set, name)
			}
		}
		return nil, set
	},
}

// codex follows "Advanced configuration" of developers.openai.com/codex, and
// codex-rs/model-provider-info of Codex 0.169.
var codex = &client{
	name:    "codex",
	title:   "Codex",
	install: "npm install -g @openai/codex",
	asks:    "gpt-5.5",
	vendor:  "responses",
	drop: []string{"OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_BASE_URL",
		"OPENAI_ORGANIZATION", "OPENAI_PROJECT"},
	settings: func(base, key string, u use) ([]string, map[string]string) {
		provider := "model_providers.edgelingua."
		overrides := []string{
			"model_provider=edgelingua", provider + "name=edgelingua", provider + "base_url=" + base + "/v1",
			provider + "wire_api=responses", provider + "env_key=EDGELINGUA_KEY",
		}
		if u.model != "" {
			// in quotes: a value is TOML, and 4.5 no string
			overrides = append(overrides, "model="+string(jsonw.AppendString(nil, u.model)))
		}
		// Codex 0.169 assumes 272,000 tokens for a model that it does not know, and compacts at 90 %.
		if u.limits.Input > 0 {
			overrides = append(overrides, "model_context_window="+strconv.FormatInt(u.limits.Input, 10))
		}
		var args []string
		for _, override := range overrides {
			args = append(args, "-c", override)
		}
		return args, map[string]string{"EDGELINGUA_KEY": key}
	},
}

// opencode follows "Config" and "Providers" of opencode.ai/docs, for opencode 1.18.
var opencode = &client{
	name:    "opencode",
	title:   "opencode",
	install: "npm install -g opencode-ai",
	drop:    []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENCODE_API_KEY"},
	taken:   "OPENCODE_CONFIG_CONTENT",
	settings: func(base, key string, u use) ([]string, map[string]string) {
		type object = map[string]any
		model := u.model
		// Without modalities opencode assumes that a custom model accepts no images
		// (anomalyco/opencode#25229).
		entry := object{"name": model, "attachment": true,
			"modalities": object{"input": []string{"text", "image"}, "output": []string{"text"}}}
		if u.limits.Input > 0 && u.limits.Output > 0 {
			entry["limit"] = object{"context": u.limits.Input, "output": u.limits.Output}
		}
		text, err := json.Marshal(object{
			"model":       "edgelingua/" + model,
			"small_model": "edgelingua/" + model,
			// An agent of the project's opencode.json could name a model of another provider.
			"enabled_providers": []string{"edgelingua"},
			"provider": object{"edgelingua": object{
				"npm":     "@ai-sdk/openai-compatible",
				"name":    "edgelingua",
				"options": object{"baseURL": base + "/v1", "apiKey": key},
				"models":  object{model: entry},
			}},
		})
		if err != nil {
			panic(err) // strings are JSON
		}
		return nil, map[string]string{"OPENCODE_CONFIG_CONTENT": string(text)}
	},
}

// command returns the client's command, for a server at base.
func (o *launchOptions) command(program, base, key string) *exec.Cmd {
	args, set := o.client.settings(base, key, o.use)
	around := "127.0.0.1" // otherwise a proxy would get the requests and the key
	if others := cmp.Or(os.Getenv("NO_PROXY"), os.Getenv("no_proxy")); others != "" {
		around = others + "," + around
	}
	set["NO_PROXY"], set["no_proxy"] = around, around
	cmd := exec.Command(program, slices.Concat(args, o.args)...)
	cmd.Env = without(os.Environ(), slices.Concat(ownSecrets, o.client.drop))
	for name, value := range set { // of two with the same name Cmd takes the last
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// without returns an environment without the variables of these names.
func without(environ, names []string) (left []string) {
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if !slices.ContainsFunc(names, func(drop string) bool { return strings.EqualFold(drop, name) }) {
			left = append(left, pair)
		}
	}
	return left
}
