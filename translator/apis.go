package translator

import (
	"edgelingua/translator/anthropic"
	"edgelingua/translator/chat"
	"edgelingua/translator/ir"
	"edgelingua/translator/responses"
)

// APIs are the protocols that clients and upstreams may speak.
var APIs = []*ir.API{&anthropic.API, &chat.API, &responses.API}

// API returns the protocol with a name, nil where there is none.
func API(name string) *ir.API {
	for _, api := range APIs {
		if api.Name == name {
			return api
		}
	}
	return nil
}

// Names returns what name gives of each protocol, as a list for people: "a, b or c" with the last word "or".
func Names(name func(*ir.API) string, last string) string {
	var text string
	for i, api := range APIs {
		switch {
		case i == 0:
		case i == len(APIs)-1:
			text += " " + last + " "
		default:
			text += ", "
		}
		text += name(api)
	}
	return text
}

// APIOf returns the protocol of a client by the path that it asks for, without what names a personal endpoint there, and what it asks
// for; header returns a request header by its lower-case name, "" where it is absent. Of several protocols with that path, and of all
// where none has it, it is the one with a mark in the header, or else the first without marks.
func APIOf(path string, header func(name string) string) (api *ir.API, operation ir.Operation) {
	best, unknown := -1, true
	for _, a := range APIs {
		asked, _, ok := a.Route(path)
		if !ok && !unknown {
			continue
		}
		if ok && unknown {
			best, unknown = -1, false
		}
		if fit := fit(a, header); fit > best {
			api, operation, best = a, asked, fit
		}
	}
	return api, operation
}

// fit is how well a header fits to clients of a protocol: 2 for a mark of theirs, 1 where they have none, else 0.
func fit(a *ir.API, header func(name string) string) int {
	for _, mark := range a.Marks {
		if header(mark) != "" {
			return 2
		}
	}
	if len(a.Marks) == 0 {
		return 1
	}
	return 0
}
