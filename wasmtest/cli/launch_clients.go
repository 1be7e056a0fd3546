package cli

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"

	"edgelingua/translator/jsonw"
)

// client is a command-line client that launch can run.
type client struct {
	name    string // of its command and its program
	title   string
	install string // how to get it
	// asks is a model that the client asks for by itself; "": it has to be told one.
	asks string
	// vendor is the protocol in which the client's own vendor serves that model.
	vendor string
	// taken is a variable in which the client gets its settings, and which must not be set before;
	// "" for none.
	taken string
	// drop are variables of the environment that would send the client elsewhere, or give it
	// another key.
	drop []string
	// settings returns arguments and variables by which the client asks base with key, for model
	// where that is not "". The key is in no argument, since other users can read those.
	settings func(base, key, model string) (args []string, set map[string]string)
}

var clients = []*client{claudeCode, codex, opencode}

// ownSecrets are variables with a secret of edgelingua's: those of deploy, and what clients have
// for another server.
var ownSecrets = append(slices.Clone(secretNames), "EDGELINGUA_KEY", credentialsVariable)

// claudeCode goes by "Environment variables" and "Authentication" of code.claude.com/docs, of
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
	settings: func(base, key, model string) ([]string, map[string]string) {
		set := map[string]string{
			"ANTHROPIC_BASE_URL":   base,
			"ANTHROPIC_AUTH_TOKEN": key,
			// Else variables in the "env" of a settings.json, the project's too, win over these
			// (since 2.1.126).
			"CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST": "1",
		}
		if model != "" {
			for _, tier := range []string{"", "_DEFAULT_OPUS", "_DEFAULT_SONNET", "_DEFAULT_HAIKU"} {
				set["ANTHROPIC"+tier+"_MODEL"] = model
			}
		}
		return nil, set
	},
}

// codex goes by "Advanced configuration" of developers.openai.com/codex, and by
// codex-rs/model-provider-info of Codex 0.169.
var codex = &client{
	name:    "codex",
	title:   "Codex",
	install: "npm install -g @openai/codex",
	asks:    "gpt-5.5",
	vendor:  "responses",
	drop: []string{"OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_BASE_URL",
		"OPENAI_ORGANIZATION", "OPENAI_PROJECT"},
	settings: func(base, key, model string) ([]string, map[string]string) {
		provider := "model_providers.edgelingua."
		overrides := []string{
			"model_provider=edgelingua", provider + "name=edgelingua", provider + "base_url=" + base + "/v1",
			provider + "wire_api=responses", provider + "env_key=EDGELINGUA_KEY",
		}
		if model != "" {
			// in quotes: a value is TOML, and 4.5 no string
			overrides = append(overrides, "model="+string(jsonw.AppendString(nil, model)))
		}
		var args []string
		for _, override := range overrides {
			args = append(args, "-c", override)
		}
		return args, map[string]string{"EDGELINGUA_KEY": key}
	},
}

// opencode goes by "Config" and "Providers" of opencode.ai/docs, of opencode 1.18.
var opencode = &client{
	name:    "opencode",
	title:   "opencode",
	install: "npm install -g opencode-ai",
	drop:    []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENCODE_API_KEY"},
	taken:   "OPENCODE_CONFIG_CONTENT",
	settings: func(base, key, model string) ([]string, map[string]string) {
		type object = map[string]any
		text, err := json.Marshal(object{
			"model":       "edgelingua/" + model,
			"small_model": "edgelingua/" + model,
			// An agent of the project's opencode.json could name a model of another provider.
			"enabled_providers": []string{"edgelingua"},
			"provider": object{"edgelingua": object{
				"npm":     "@ai-sdk/openai-compatible",
				"name":    "edgelingua",
				"options": object{"baseURL": base + "/v1", "apiKey": key},
				// Without modalities opencode takes a model of one's own for one without images
				// (anomalyco/opencode#25229).
				"models": object{model: object{"name": model, "attachment": true,
					"modalities": object{"input": []string{"text", "image"}, "output": []string{"text"}}}},
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
	args, set := o.client.settings(base, key, o.model)
	around := "127.0.0.1" // else a proxy would get the requests, and the key
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
