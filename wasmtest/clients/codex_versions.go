package clients

// codexVersion describes Codex's requests for one kind of model, without the conversation.
type codexVersion struct {
	prompt list
	more   object
	tools  list // nil: the only tools are in the prompt
}

func says(role string, texts ...string) object {
	var content list
	for _, text := range texts {
		content = append(content, object{"type": "input_text", "text": text})
	}
	return object{"type": "message", "role": role, "content": content}
}

func codexParameters(name string) object {
	return object{
		"type": "object", "properties": object{name: object{"type": "string", "encrypted": true}},
		"required": list{name}, "additionalProperties": false,
	}
}

func codexFunction(name, parameter string) object {
	return object{
		"type":        "function",
		"name":        name,
		"description": "It can " + name + ".",
		"strict":      false,
		"parameters":  codexParameters(parameter),
	}
}

func codexCustom(name string) object {
	return object{
		"type": "custom", "name": name, "description": "It can " + name + ".",
		"format": object{"type": "grammar", "syntax": "lark", "definition": `start: "x" /.+/s`},
	}
}

func codexNamespace(name string, tools ...any) object {
	return object{"type": "namespace", "name": name, "description": "Tools of " + name + ".", "tools": tools}
}

var codexWeb = object{"type": "web_search", "external_web_access": true}

// Found has the tools that Codex finds when the model searches for tools.
var Found = []any{
	codexNamespace("mcp__weather", copied(codexFunction("now", "city"), object{"defer_loading": true})),
}

var encrypted = list{"reasoning.encrypted_content"}

// CodexModels lists the models that NewCodex accepts. Codex's requests differ for each of these
// models.
var CodexModels = []string{"gpt-5.5", "gpt-6", "codex-mini-latest", "claude-sonnet-4-5"}

// codexVersionOf returns Codex's requests for a model, or nil for a model outside CodexModels.
func codexVersionOf(model string) *codexVersion {
	switch model {
	case "gpt-5.5":
		return &codexVersion{
			prompt: list{says("developer", "You are Codex."), says("developer", "<permissions>", "<apps>")},
			more: object{
				"reasoning": object{
					"effort": "medium",
				}, "include": encrypted, "text": object{"verbosity": "low"}, "parallel_tool_calls": true,
			},
			tools: list{
				codexFunction("exec_command", "cmd"),
				codexCustom("apply_patch"),
				codexNamespace("mcp__srv", codexFunction("echo", "text"), codexFunction("get__all", "text")),
				object{
					"type":        "tool_search",
					"execution":   "client",
					"description": "# Tool discovery",
					"parameters":  codexParameters("query"),
				},
				codexWeb,
			},
		}
	case "gpt-6":
		tools := list{
			codexNamespace("functions", codexCustom("exec"), codexFunction("wait", "id")),
			codexNamespace("mcp__srv", codexFunction("echo", "text")), codexWeb,
		}
		return &codexVersion{
			prompt: list{
				object{"type": "additional_tools", "role": "developer", "tools": tools},
				says("developer", "You are Codex."),
			},
			more: object{
				"reasoning": object{
					"effort":  "low",
					"context": "all_turns",
				}, "include": encrypted, "parallel_tool_calls": false,
			},
		}
	case "codex-mini-latest":
		return &codexVersion{
			prompt: list{says("user", "<environment_context>")},
			more: object{
				"instructions": "You are Codex.", "reasoning": nil, "include": list{},
				"parallel_tool_calls": false,
			},
			tools: list{object{"type": "local_shell"}, codexFunction("update_plan", "plan")},
		}
	case "claude-sonnet-4-5":
		return &codexVersion{
			prompt: list{says("developer", "You are Codex.")},
			more: object{
				"reasoning":           object{"summary": "auto"},
				"include":             encrypted,
				"parallel_tool_calls": true,
			},
			tools: list{
				codexFunction("exec_command", "cmd"), codexCustom("apply_patch"),
				codexNamespace("mcp__srv", codexFunction("echo", "text")),
			},
		}
	}
	return nil
}
