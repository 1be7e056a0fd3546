package vendors

// issued is what a vendor has signed, encrypted or stored, and must get back unchanged.
type issued struct {
	blobs  map[string]string      // by blob: the text that was signed, or the item's id
	before map[string][]Reasoning // by a call's id: the reasoning before the call
	items  map[string]any         // by id: the items of answers, in a Responses API that stores
}

func newIssued() issued {
	return issued{map[string]string{}, map[string][]Reasoning{}, map[string]any{}}
}

// note remembers what a turn issues.
func (i *issued) note(turn *Turn) {
	if turn.Compaction != "" {
		i.blobs[turn.Compaction] = ""
	}
	for _, r := range turn.Reasoning {
		switch {
		case r.Blob == "":
		case r.ID != "":
			i.blobs[r.Blob] = r.ID
		default:
			i.blobs[r.Blob] = r.Text
		}
	}
	for _, call := range turn.Calls {
		if len(turn.Reasoning) > 0 && call.ID != "" { // models before Gemini 3 give calls no ids
			i.before[call.ID] = turn.Reasoning
		}
	}
}

// knows reports whether a blob was issued.
func (i *issued) knows(blob string) bool {
	_, ok := i.blobs[blob]
	return ok
}

// signed reports whether a blob was issued for a text or an item's id.
func (i *issued) signed(blob, text string) bool {
	was, ok := i.blobs[blob]
	return ok && was == text
}
