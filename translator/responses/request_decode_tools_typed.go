package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Types of tools defined by OpenAI and run by the client, also used as names of the functions sent
// to other upstreams instead.
const (
	toolSearch = "tool_search"
	localShell = "local_shell"
	shell      = "shell"
	applyPatch = "apply_patch"
)

// Descriptions and schemas of the functions.
const (
	searchSchema = `{"type":"object","properties":{"query":{"type":"string",` +
		`"description":"What the tool should be able to do."}},"required":["query"]}`
	searchDescription = `Searches for further tools by what they do. The tools that it finds can be ` +
		`called from then on.`
	localShellSchema = `{"type":"object","properties":{"command":{"type":"array",` +
		`"items":{"type":"string"},"description":"The program and its arguments, as ` +
		`[\"bash\",\"-lc\",\"ls\"]."},"working_directory":{"type":"string"},` +
		`"timeout_ms":{"type":"integer"},"env":{"type":"object","additionalProperties":{"type":"string"}}}` +
		`,"required":["command"]}`
	localShellAbout = `Runs a program on the user's machine and returns its output.`
	shellSchema     = `{"type":"object","properties":{"commands":{"type":"array",` +
		`"items":{"type":"string"},"description":"Shell commands, which may run at the same time."},` +
		`"timeout_ms":{"type":"integer"},"max_output_length":{"type":"integer"}},"required":["commands"]}`
	shellAbout       = `Runs shell commands on the user's machine and returns their output.`
	applyPatchSchema = `{"type":"object","properties":{"type":{"type":"string","enum":["create_file",` +
		`"update_file","delete_file"]},"path":{"type":"string"},"diff":{"type":"string",` +
		`"description":"The diff in the V4A format; not for delete_file."}},"required":["type","path"]}`
	applyPatchAbout = `Creates, updates or deletes one file. Diffs are in the V4A format: lines that ` +
		`begin with +, - or a space, with @@ lines between sections, and no line numbers.`
)

// define turns t into the function for a tool defined by OpenAI.
func define(t *ir.Tool, kind, description ir.Escaped, schema ir.Raw) {
	t.Type, t.Name, t.Description, t.Schema = kind, kind, description, schema
}

func vendorTool(f *toolFields, at ir.Pos, whole ir.Raw) ir.Tool {
	return ir.Tool{Kind: ir.VendorTool, At: at, Type: f.kind, Name: f.kind, Raw: whole}
}

// isLocal reports whether a shell with an "environment" runs on the client's machine: if the
// environment's type is missing or "local".
func isLocal(environment ir.Raw) bool {
	r := jsonr.NewReader(string(environment))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "type" {
			return r.Value() == `"local"`
		}
	}
	return true
}
