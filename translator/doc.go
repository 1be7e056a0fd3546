// Package translator translates requests, answers and streams between the APIs of language models: Anthropic's Messages ("anthropic"),
// OpenAI's Chat Completions ("chat") and OpenAI's Responses ("responses"). It knows no HTTP, no clock and no configuration; it starts no
// goroutines and keeps no state between requests. It needs nothing but the standard library, and works with TinyGo, too.
//
// # One request
//
// A client speaks one protocol and an upstream another: that is a [Pair]. The caller receives the client's request and calls the upstream;
// in between, one [Exchange] belongs to the request:
//
//	pair, ok := translator.Lookup("anthropic", "chat")
//	x, err := pair.Decode(path, body)        // the client's request
//	x.Request.Model = jsonw.Escape("there")  // if the upstream calls the model otherwise; the client's answer shows its own name
//	up, err := x.AppendRequest(nil, &target) // the upstream's body
//
// The answer takes one of these ways:
//
//	s := x.Stream()                          // both sides stream: s.Push(chunk) while there are chunks, then s.Close(cause)
//	out, err := x.AppendBody(nil, body)      // neither does
//	s, out := x.StreamOfBody(body)           // the client alone does
//	out, err := x.AppendFolded(nil, stream)  // the upstream alone does
//	err := x.UpstreamError(status, body)     // the upstream has refused
//
// A body needs no translation if both sides speak the same protocol, [Exchange.Policy] changes
// nothing, and [passing.HoldsForeign] finds nothing. Package passing has the functions for it.
//
// # Searches of the web and pages
//
// If the upstream can't run the web searches or fetches for which the client asks, the caller may
// run them. With Exchange.MaxSearches or MaxFetches the model gets a function for each, and
// Exchange.Rounds reports it after AppendRequest. The answer then takes rounds (stages.WebTools), in
// a [Stream] or, for a plain answer, in a [Plain]:
//
//	for x.Waits() {                            // the answer so far ends with searches, or continues
//		if search, ok := x.Search(); ok {
//			out, done = s.Found(run(search))   // Hits, or why there are none
//			continue
//		}
//		up, err = s.AppendNext(nil)            // the next request's body; its answer is for s, too
//	}
//
// # What an upstream accepts
//
// Servers and models differ in what they take, and refuse a request for one field too many. An [ir.Target] says what an upstream takes. The
// zero Target is what any server of the protocol takes. What is known of a host and a model, with a source for each fact, is in
// targets.go in the folder of each protocol, and pair.Upstream.Upstream.Target(host, model) looks it up. A caller who knows better changes
// the fields of that, or fills in a Target.
//
// # Losses and errors
//
// What the upstream can't be told, and what the client can't be told of an answer, is in [Exchange.Lost] by its path: nothing is left out
// in silence. An [ir.Error] is worded for the client: its status is pair.Client.Status(err), and its body
// pair.Client.Client.AppendError(nil, err). In a stream it is an event. An answer that breaks off, or that is no answer, is an error too, and
// never looks like a clean end.
//
// # Memory
//
// A body that comes in is viewed, not copied: it stays as it is until the answer is complete. A chunk that [Stream.Push] takes is not kept,
// and what Push returns is good until the next call. What is kept of an answer is bounded by [Exchange.MaxOutput]; the sizes of bodies that
// come in are for the caller to bound. An Exchange is for one goroutine at a time, and different ones share nothing.
//
// # What belongs to the API
//
// api.txt in this folder lists it: package translator; the functions of package passing;
// [stages.Search] and [stages.Hit]; [ir.Target], [ir.Error], [ir.Usage] and [policy.Policy]; and
// single fields and methods of types that have more. The rest is how the translator is built: the
// other exported names of the packages below, and the packages that are not in the list. It may
// change at any time.
//
// Versions are vMAJOR.MINOR.PATCH. From v1.0.0 on, what is in the list stays, and keeps its types, until the next major version. Before that
// a minor version may change it, a patch may not. Any version may add fields to structs, so literals of them name their fields, and values
// to enumerations. Nobody promises the bytes of a translation: they change where a vendor's API does, or where a translation was wrong.
package translator
