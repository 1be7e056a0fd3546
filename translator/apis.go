package translator

import (
	"strings"

	"edgelingua/translator/anthropic"
	"edgelingua/translator/chat"
	"edgelingua/translator/gemini"
	"edgelingua/translator/interactions"
	"edgelingua/translator/ir"
	"edgelingua/translator/responses"
)

// APIs are the protocols that clients and upstreams may speak. One without a client's side is spoken to upstreams only.
var APIs = []*ir.API{&anthropic.API, &chat.API, &responses.API, &gemini.API, &interactions.API}

// API returns the protocol with a name, nil where there is none.
func API(name string) *ir.API {
	for _, api := range APIs {
		if api.Name == name {
			return api
		}
	}
	return nil
}

// Names returns a list for people of what name returns for each protocol, with last as its last conjunction: "a, b or c" for "or". A protocol for which
// name returns "" is left out.
func Names(name func(*ir.API) string, last string) string {
	text, before := "", ""
	for _, api := range APIs {
		switch of := name(api); {
		case of == "":
		case before == "":
			before = of
		default:
			text, before = text+before+", ", of
		}
	}
	return strings.TrimSuffix(text, ", ") + " " + last + " " + before
}

// APIOf returns the protocol of the client that sent a request, and what the request asks for. path is the request's path without the
// address of a personal endpoint; header returns a request header by its lower-case name, "" where it is absent. Where several protocols
// have the path, one for which it does not just name a model counts more than others; of several, and of all protocols where none has the
// path, APIOf returns the first with one of its marks among the headers, else the first that has no marks. For a path that no protocol has, operation is ir.Unserved.
func APIOf(path string, header func(name string) string) (api *ir.API, operation ir.Operation) {
	best, unknown := -1, true
	for _, a := range APIs {
		if !a.HasClients() {
			continue
		}
		asked, _, ok := a.Route(path)
		if !ok && !unknown {
			continue
		}
		if ok && unknown {
			best, unknown = -1, false
		}
		fits := fit(a, header)
		if asked != ir.ReadModel {
			fits += 3
		}
		if fits > best {
			api, operation, best = a, asked, fits
		}
	}
	return api, operation
}

// fit rates how well a request's headers fit a protocol: 2 with one of its marks, 1 where it has no marks, else 0.
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
