package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Types of OpenAI's tools for the client's screen, mouse and keyboard, and names of the functions
// that replace them on other upstreams. A call of computer has a list of actions, a call of the
// older computer_use_preview a single action. Claude's own computer tool is no replacement: it
// requires the size of the screen, which computer lacks, and uses actions unknown to OpenAI's
// clients.
const (
	computer   = "computer"
	computerV1 = "computer_use_preview"
)

// The schemas of the two functions: the actions known to OpenAI's clients (API reference,
// "computer_call"), each with the members that the API always sends.
const (
	spot = `"x":{"type":"integer"},"y":{"type":"integer"}`
	keys = `"keys":{"type":"array","items":{"type":"string"},"description":"As [\"CTRL\",\"C\"]."}`

	actionSchema = `{"anyOf":[` +
		`{"type":"object","properties":{"type":{"type":"string","enum":["click"]},` +
		`"button":{"type":"string","enum":["left","right","wheel","back","forward"]},` + spot +
		`},"required":["type","button","x","y"]},` +
		`{"type":"object","properties":{"type":{"type":"string","enum":["double_click","move"]},` + spot +
		`},"required":["type","x","y"]},` +
		`{"type":"object","properties":{"type":{"type":"string","enum":["drag"]},"path":{"type":"array",` +
		`"items":{"type":"object","properties":{` + spot +
		`},"required":["x","y"]}}},"required":["type","path"]},` +
		`{"type":"object","properties":{"type":{"type":"string","enum":["keypress"]},` + keys +
		`},"required":["type","keys"]},` +
		`{"type":"object","properties":{"type":{"type":"string","enum":["scroll"]},` + spot +
		`,"scroll_x":{"type":"integer","description":"Pixels to the right."},"scroll_y":{"type":"integer",` +
		`"description":"Pixels down."}},"required":["type","x","y","scroll_x","scroll_y"]},` +
		`{"type":"object","properties":{"type":{"type":"string","enum":["type"]},"text":{"type":"string"}}` +
		`,"required":["type","text"]},` +
		`{"type":"object","properties":{"type":{"type":"string","enum":["screenshot","wait"]}},` +
		`"required":["type"]}]}`
)

// schemaOf returns the schema of the function for tool. The schema is assembled on demand, so the
// module has the schema of an action only once.
func schemaOf(tool ir.Escaped) ir.Raw {
	actions := ir.Raw(actionSchema)
	if tool == computerV1 {
		return `{"type":"object","properties":{"action":` + actions + `},"required":["action"]}`
	}
	return `{"type":"object","properties":{"actions":{"type":"array","items":` + actions +
		`}},"required":["actions"]}`
}

// aboutComputer returns the description of the function that replaces tool, including the system and
// the size of the screen if tool has them.
func aboutComputer(tool ir.Raw) ir.Escaped {
	const words = `Uses the screen, the mouse and the keyboard of the user's computer, and returns a ` +
		`screenshot. x and y are pixels from its upper left corner.`
	var width, height ir.Raw
	about := ir.Escaped(words)
	r := jsonr.NewReader(string(tool))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "display_width":
			width = r.Value()
		case "display_height":
			height = r.Value()
		case "environment": // of computer_use_preview: "windows", "browser"
			if system, _ := jsonr.Text(r.Value()); system != "" {
				about += ` Its system: ` + system + `.`
			}
		}
	}
	if jsonr.KindOf(width) == jsonr.Number && jsonr.KindOf(height) == jsonr.Number {
		about += ` The screen has ` + ir.Escaped(width) + ` by ` + ir.Escaped(height) + ` pixels.`
	}
	return about
}

// aim returns a computer_call as the arguments of its function: the action or the actions.
func (f *fields) aim(at ir.Pos) (ir.Raw, *ir.Error) {
	lead, v := `{"actions":`, f.actions
	if v == "" {
		action, err := object(f.action, at, ".action")
		if err != nil {
			return "", err
		}
		lead, v = `{"action":`, action
	}
	return ir.Raw(lead) + v + "}", nil
}

// appendActions appends the model's actions to the item. The API requires an action. Arguments
// without one become a screenshot, which does no harm and lets the model continue.
func (w *itemWriter) appendActions(arguments ir.Escaped) {
	one, list := ir.Raw(`{"type":"screenshot"}`), ir.Raw("")
	object := jsonr.AppendObject(make([]byte, 0, len(arguments)+len(`{"invalid_arguments":""}`)), arguments)
	r := jsonr.NewReader(string(jsonw.View(object)))
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); {
		case key == "actions" && r.Kind() == jsonr.Array && r.Len() > 0:
			list = r.Value()
		case key == "action" && r.Kind() == jsonr.Object:
			one = r.Value()
		}
	}
	switch {
	case w.tool == computerV1:
		w.value(`,"action":`, one)
	case list != "":
		w.value(`,"actions":`, list)
	default:
		w.value(`,"actions":[`, one)
		w.raw(`]`)
	}
	w.raw(`,"pending_safety_checks":[]`)
}
