package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// typedTool reads a tool that Anthropic defines by its type, which ends with a date. Tools that the
// client runs become functions with the inputs that clients expect for each version ("Bash tool",
// "Text editor tool", "Memory tool", "Computer use tool"). Without this conversion only Anthropic's
// models could call these tools, since the request does not describe them.
//
// web_search_... is the web search of any vendor, web_fetch_... and advisor_... may run here, and
// tool_search_tool_... corresponds to OpenAI's search for tools. settleServers reads mcp_toolset.
// Only Anthropic has the remaining types.
//
//go:noinline
func (d *requestDecoder) typedTool(t *ir.Tool, path string) *ir.Error {
	kind := string(t.Type)
	switch {
	case strings.HasPrefix(kind, "web_search_"):
		t.Kind = ir.WebSearchTool
		return d.search(t, path)
	case strings.HasPrefix(kind, "web_fetch_"):
		t.Kind = ir.WebFetchTool
		return d.search(t, path)
	case strings.HasPrefix(kind, advisor+"_"):
		t.Kind = ir.AdvisorTool
		return d.search(t, path)
	case strings.HasPrefix(kind, toolSearch):
		t.Kind, t.ByPattern = ir.ToolSearchTool, strings.HasPrefix(kind, toolSearch+"regex")
	case strings.HasPrefix(kind, codeExecution+"_") && kind != codeExecution+"_20250522":
		t.Kind = ir.ProgramTool // the first version ran no programs that call tools
		return nil
	case kind == mcpToolset:
		t.Kind = ir.VendorTool
		t.Name = mcpName(jsonw.Escape(jsonr.LastText(string(t.Raw), "mcp_server_name")))
		return nil
	case strings.HasPrefix(kind, "bash_"):
		t.Description, t.Schema = bashDescription, bashSchema
	case strings.HasPrefix(kind, "text_editor_2024"), strings.HasPrefix(kind, "text_editor_20250124"):
		t.Description, t.Schema = editorDescription, editorCommands+`,"undo_edit"`+editorInputs+insertsNew+
			editorEnd
	case strings.HasPrefix(kind, "text_editor_20250429"):
		t.Description, t.Schema = editorDescription, editorCommands+editorInputs+insertsNew+editorEnd
	case strings.HasPrefix(kind, "text_editor_"):
		t.Description, t.Schema = editorDescription, editorCommands+editorInputs+insertsText+editorEnd
	case strings.HasPrefix(kind, "memory_"):
		t.Description, t.Schema = memoryDescription, editorCommands+`,"delete","rename"`+editorInputs+
			insertsText+memoryEnd
	case strings.HasPrefix(kind, "computer_2024"):
		t.Description, t.Schema = computerDescription(t.Raw), computerActions+computerInputs
	case strings.HasPrefix(kind, "computer_2"):
		t.Description, t.Schema = computerDescription(t.Raw), computerActions+laterActions+computerInputs
		if v, _, _ := jsonr.LastMember(string(t.Raw), "enable_zoom"); v == "true" {
			d.request.Own = append(d.request.Own, ir.Member{Key: path + ".enable_zoom"})
		}
	default:
		t.Kind = ir.VendorTool
		return nil
	}
	if t.Name == "" {
		return invalid(path+".name", "Field required")
	}
	return nil
}

const (
	bashDescription = `Runs a command in a bash session that keeps its state between calls, and returns ` +
		`what it printed.`
	bashSchema = `{"type":"object","properties":{"command":{"type":"string",` +
		`"description":"The command to run. Required unless restart is set."},` +
		`"restart":{"type":"boolean","description":"Restarts the session."}}}`

	editorDescription = `Views, creates and edits text files.`
	editorCommands    = `{"type":"object","properties":{"command":{"type":"string","enum":["view",` +
		`"create","str_replace","insert"`
	editorInputs = `]},"path":{"type":"string","description":"The file or directory."},` +
		`"view_range":{"type":"array","items":{"type":"integer"},` +
		`"description":"For view: the first and the last line, from 1; -1 is the end."},` +
		`"file_text":{"type":"string","description":"For create: the content of the file."},` +
		`"old_str":{"type":"string","description":"For str_replace: the text to replace. It must be in ` +
		`the file exactly once."},` +
		`"insert_line":{"type":"integer","description":"For insert: the line behind which to insert, 0 ` +
		`for the beginning."},` +
		`"new_str":{"type":"string","description":"For str_replace: the text in its place.`
	insertsNew  = ` For insert: the text."}`
	insertsText = `"},"insert_text":{"type":"string","description":"For insert: the text."}`
	editorEnd   = `},"required":["command","path"]}`

	memoryDescription = `Views, creates and edits the files of a memory that outlives the conversation, ` +
		`under /memories.`
	memoryEnd = `,"old_path":{"type":"string","description":"For rename: the path."},` +
		`"new_path":{"type":"string","description":"For rename: the path in its place."}},` +
		`"required":["command"]}`

	computerActions = `{"type":"object","properties":{"action":{"type":"string","enum":["key","type",` +
		`"mouse_move","left_click",` +
		`"left_click_drag","right_click","middle_click","double_click","screenshot","cursor_position"`
	laterActions   = `,"triple_click","left_mouse_down","left_mouse_up","scroll","hold_key","wait"`
	computerInputs = `]},"coordinate":{"type":"array","items":{"type":"integer"},` +
		`"description":"x and y, from the upper left corner."},` +
		`"start_coordinate":{"type":"array","items":{"type":"integer"},` +
		`"description":"For left_click_drag: where it begins."},` +
		`"text":{"type":"string","description":"For type: the text. For key and hold_key: the keys, as ` +
		`ctrl+s. For clicks and scroll: keys to hold."},` +
		`"scroll_direction":{"type":"string","enum":["up","down","left","right"]},` +
		`"scroll_amount":{"type":"integer"},` +
		`"duration":{"type":"number","description":"For hold_key and wait: seconds."}},"required":["action"]}`
)

// computerDescription returns the description of a computer tool, with the size of the screen: the
// model gets the size only from the description.
func computerDescription(raw ir.Raw) ir.Escaped {
	var width, height ir.Raw
	r := jsonr.NewReader(string(raw))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "display_width_px":
			width = r.Value()
		case "display_height_px":
			height = r.Value()
		}
	}
	const words = `Uses the mouse, the keyboard and the screen of a computer.`
	if jsonr.KindOf(width) != jsonr.Number || jsonr.KindOf(height) != jsonr.Number {
		return words
	}
	return words + ` The screen has ` + ir.Escaped(width) + ` by ` + ir.Escaped(height) + ` pixels.`
}
