package translator

import (
	"edgelingua/translator/anthropic"
	"edgelingua/translator/chat"
	"edgelingua/translator/gemini"
	"edgelingua/translator/interactions"
	"edgelingua/translator/ir"
	"edgelingua/translator/responses"
)

// The names of the protocols, as Lookup and API accept them.
const (
	Anthropic    = "anthropic"    // Anthropic Messages
	Chat         = "chat"         // OpenAI Chat Completions
	Responses    = "responses"    // OpenAI Responses
	Gemini       = "gemini"       // Google Gemini
	Interactions = "interactions" // Google Interactions
)

// APIs has the protocols of clients and upstreams. A protocol without a client's side is for upstreams
// only.
var APIs = []*ir.API{&anthropic.API, &chat.API, &responses.API, &gemini.API, &interactions.API}

// API returns the protocol with a name, nil if there is none.
func API(name string) *ir.API {
	for _, api := range APIs {
		if api.Name == name {
			return api
		}
	}
	return nil
}

// formOf returns the protocol whose form a client's body has. Cursor sends bodies of Responses to Chat
// Completions for OpenAI's newer models, and reads answers of Chat Completions
// (gabrii/Cursor-Azure-GPT-5#69).
func formOf(client *ir.API, body string) *ir.API {
	if client == &chat.API && client.Client.HoldsForeign(body) {
		return &responses.API
	}
	return client
}

// APIOf returns the protocol of the client that sent a request, and the operation of the request.
// path is the request's path without the address of a personal endpoint. header returns a request
// header by its lower-case name, "" if absent.
//
// If several protocols have the path, APIOf prefers a protocol with an operation other than
// ir.ReadModel. Of several such protocols, and of all protocols if none has the path, APIOf prefers
// the first with a mark among the headers, then the first without marks. For an unknown path,
// operation is ir.Unserved.
func APIOf(path string, header func(name string) string) (api *ir.API, operation ir.Operation) {
	best, unknown := -1, true
	for _, a := range APIs {
		if !a.HasClients() {
			continue
		}
		routed, _, ok := a.Route(path)
		if !ok && !unknown {
			continue
		}
		if ok && unknown {
			best, unknown = -1, false
		}
		fits := fit(a, header)
		if routed != ir.ReadModel {
			fits += 3
		}
		if fits > best {
			api, operation, best = a, routed, fits
		}
	}
	return api, operation
}

// fit rates how well a request's headers fit a protocol: 2 with one of its marks, 1 if it has no marks,
// else 0.
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
