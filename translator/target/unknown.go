package target

// vendors are the hosts whose models are in the tables. Local servers and gateways serve models of many
// vendors, so a model without an entry is usual there.
const vendors = "api.openai.com api.anthropic.com generativelanguage.googleapis.com api.x.ai"

// isListed reports whether a table has model: the row that Find chooses, the windows or the traits.
// Both names are in the form that Family returns.
func isListed(row *Row, model string) bool {
	if isEntry(model, row.Model) {
		return true
	}
	for i := range windows {
		if isEntry(model, windows[i].models) {
			return true
		}
	}
	for i := range traits {
		if isEntry(model, traits[i].models) {
			return true
		}
	}
	return false
}

// isEntry reports whether one of names, which are separated by spaces, is an entry for model. A name
// with "-" at its end stands for a whole family, also for models that came after the tables.
func isEntry(model, names string) bool {
	n := prefixOf(model, names)
	return n > 0 && isWord(model[n-1])
}
