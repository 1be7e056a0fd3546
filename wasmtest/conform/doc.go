// Package conform is a conformance suite for servers and gateways of four LLM APIs: Anthropic's
// Messages, OpenAI's Chat Completions, OpenAI's Responses, and Google's Gemini.
//
// A Case has a stable ID, a title, the requirement, the reason, a source, the date since when the
// vendor's API has the feature, and a severity. Cases judge the Record of a Probe: the requests of a
// client, the answers, and, with a scripted upstream, what the upstream received. Each Probe runs
// once for all of its cases.
//
// Check runs the cases for a server with a model. CheckGateway puts a scripted upstream (the strict
// doubles of package vendors) after a gateway, and also judges what the gateway sends upstream.
//
// Each Case has a Mutation: a way for a server to be wrong. The tests of the package run each case
// twice, on the double unchanged and on the double with the mutation. The first run must pass, and
// the second one must fail.
package conform
