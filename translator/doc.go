// Package translator translates requests, answers and streams between the APIs of language models:
// Anthropic's Messages ("anthropic"), OpenAI's Chat Completions ("chat") and Responses
// ("responses"), Google's Gemini ("gemini") and Interactions ("interactions"). It has no HTTP, no clock,
// no configuration, no goroutines and no state between requests. It needs only the standard library,
// and works with TinyGo.
//
// # One request
//
// A client speaks one protocol and an upstream another: this is a [Pair]. The caller receives the
// client's request and calls the upstream. One [Exchange] belongs to the request:
//
//	pair, ok := translator.Lookup(translator.Anthropic, translator.Chat)
//	x, err := pair.Decode(path, body)        // the client's request
//	x.Request.Model = jsonw.Escape("there")  // the upstream's name; the client's answer has its own
//	up, err := x.AppendRequest(nil, &target) // the upstream's body
//
// One of these translates the answer:
//
//	s := x.Stream()                          // both sides stream: s.Push(chunk), ..., s.Close(cause)
//	err := translator.Copy(w, answer.Body, s) // the same, from a reader to a writer
//	out, err := x.AppendBody(nil, body)      // neither streams
//	s, out := x.StreamOfBody(body)           // only the client streams
//	out, err := x.AppendFolded(nil, stream)  // only the upstream streams
//	err := x.UpstreamError(status, body)     // the upstream has rejected the request
//
// A body needs no translation if both sides speak the same protocol, [Exchange.Policy] changes
// nothing, [ir.Target.TextCalls] is not set, the caller runs no searches for the client,
// [passing.HoldsForeign] finds nothing, and the body has no compaction and no tools that only
// OpenAI defines, or an upstream that accepts them. A caller that counts tokens also asks
// [passing.Streams].
//
// An Exchange is for one upstream: AppendRequest repairs Exchange.Request in place and adds to
// Exchange.Lost. For a second upstream, a fallback, decode the body again.
//
// # Searches of the web and pages
//
// If the upstream can't run the web searches or fetches for which the client asks, the caller may
// run them. With Exchange.MaxSearches or MaxFetches the model gets a function for each, and
// Exchange.Rounds reports it after AppendRequest. With Exchange.FindTools the model gets a function
// instead of its deferred tools, and the package runs these searches itself. The answer then takes
// rounds (stages.WebTools), in a [Stream] or, for a plain answer, in a [Plain]:
//
//	for x.Waits() {                          // a round has ended, and the answer has not
//		if search, ok := x.Search(); ok {
//			hits, code := run(search)        // code says why there are no hits; "": no failure
//			out, done := s.Found(hits, code) // out is for the client
//			continue
//		}
//		up, err := s.AppendNext(nil)         // the body of the next request to the upstream
//		...                                  // its answer goes to s: s.Push(chunk), ...
//	}
//
// # What an upstream accepts
//
// Servers and models accept different fields, and reject a request with one field too many. An
// [ir.Target] has what an upstream accepts. The zero Target is what every server of the protocol
// accepts. targets.go in the folders of the protocols, openai and google has the known hosts and
// models, with a source for each fact; [Pair.Target] looks them up. A caller that knows better
// changes fields of the result, or fills in a Target.
//
// # Losses and errors
//
// [Exchange.Lost] lists each field that can't be sent to the upstream or to the client, by its
// path: nothing is dropped in silence. These are not losses: a value that asks for nothing (jsonr.Asks)
// or for the usual, an option that only affects a vendor's bill (prompt_cache_options), and parts
// that Policy removes.
//
// Each error is an [ir.Error], worded for the client: [Pair.Status]
// returns the HTTP status, [Pair.AppendError] the body. In a stream an error is an event. An answer
// that breaks off, or that is no answer, is an error too, and never looks like a clean end.
// [Pair.OnError] is called with each error, including the error of a stream.
//
// # Memory
//
// The Exchange views the client's body without a copy: the body must not change until the answer is
// complete. It retains neither a chunk of [Stream.Push] nor the upstream's whole body, and the
// result of Push is valid until the next call.
// [Exchange.MaxOutput] limits what is buffered of an answer. The caller limits the sizes of bodies.
// An Exchange is for one goroutine at a time. Different ones share nothing.
//
// # What belongs to the API
//
// api.txt in this folder lists it: package translator without its files worker*.go; functions of
// package passing; [stages.Search] and [stages.Hit]; [ir.Target], [ir.Error], [ir.Usage] and
// [policy.Policy]; and single fields and methods of types that have more. The rest is how the
// translator is built: the other exported names of the packages below, and the packages that are
// not in the list. It may change at any time.
//
// Versions are vMAJOR.MINOR.PATCH. From v1.0.0 on, everything in the list stays, with its types,
// until the next major version. Before v1.0.0 a minor version may change it, a patch may not. Any
// version may add fields to structs, so name the fields in literals, and values to enumerations.
// The bytes of a translation may change in any version: with a vendor's API, or when a translation
// was wrong.
package translator
