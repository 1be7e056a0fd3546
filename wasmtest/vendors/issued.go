package vendors

// issued has everything that a vendor has signed, encrypted or stored. Clients must not change
// any of it.
type issued struct {
	blobs  map[string]string      // by blob: the signed text, or the id of the reasoning item
	before map[string][]Reasoning // by call id: the reasoning before the call
	items  map[string]any         // by item id: the items of earlier answers, for Options.Stores
}

func newIssued() issued {
	return issued{map[string]string{}, map[string][]Reasoning{}, map[string]any{}}
}

// note records the blobs of a turn, and the reasoning before its calls.
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
		if len(turn.Reasoning) > 0 && call.ID != "" { // models before Gemini 3 send calls without ids
			i.before[call.ID] = turn.Reasoning
		}
	}
}

// knows reports whether the vendor has issued a blob.
func (i *issued) knows(blob string) bool {
	_, ok := i.blobs[blob]
	return ok
}

// signed reports whether the vendor has issued a blob for a text or an item id.
func (i *issued) signed(blob, text string) bool {
	was, ok := i.blobs[blob]
	return ok && was == text
}
