package responses

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// isCall reports whether the item is a call of a client's tool.
func (it *item) isCall() bool { return it.kind == functionItem || it.kind == customItem }

// identify sets an item's ids, name and phase from f. A change of a call's id or name is a failure,
// because the client would run a wrong call.
func (d *decoder) identify(it *item, f *itemFields) {
	c := &it.call
	if len(it.id) == 0 {
		it.id = []byte(f.id)
	}
	if f.phase != ir.NoPhase {
		it.phase = f.phase
	}
	switch {
	case len(c.ID) > 0 && f.callID != "" && !c.IsGiven(f.callID):
		d.out.Fail(failure.Unreadable("the id of a tool call changes"))
	case len(c.Name) > 0 && f.name != "" && jsonw.View(c.Name) != f.name:
		d.out.Fail(failure.Unreadable("the name of a tool call changes"))
	}
	if len(c.ID) == 0 && f.callID != "" {
		d.out.GiveID(c, f.callID, len(d.items))
	}
	if len(c.Name) == 0 {
		c.Name, it.namespace = []byte(f.name), []byte(f.namespace)
	}
	if len(it.caller) == 0 && it.isCall() {
		it.caller = []byte(f.caller)
	}
}

// makeID makes an id for a call without one, from the id of the item or else of the answer.
func (d *decoder) makeID(it *item) {
	from := jsonw.View(it.id)
	if from == "" {
		from = jsonw.View(d.id)
	}
	d.out.MakeID(&it.call, from, 48, it.position)
}

// toolName returns the client's name for an upstream's tool. namespace may be "".
func (d *decoder) toolName(namespace, name ir.Escaped) ir.Escaped {
	if namespace != "" {
		for i := range d.r.Tools {
			if t := &d.r.Tools[i]; t.Namespace == namespace && t.Local == name {
				return t.Name
			}
		}
		d.lost.Add(lostNamespace)
	}
	return d.names.Restore(name)
}

// offersCustom reports whether the client offered a free-text tool with this name.
func (d *decoder) offersCustom(namespace, name ir.Escaped) bool {
	for i := range d.r.Tools {
		t := &d.r.Tools[i]
		if t.Kind == ir.CustomTool && (openai.ToolName(t.Name) == name || t.Namespace == namespace &&
			t.Local == name) {
			return true
		}
	}
	return false
}
