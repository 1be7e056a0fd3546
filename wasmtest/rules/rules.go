// Package rules lists what each upstream rejects, and what the translator does about each rule.
//
// The translator's own part of a rule is code in the encoders, or a fact in package target. The
// doubles of package vendors have the same rules, written apart from this list, each with a body
// that the vendor accepts, a body that the vendor rejects, and the vendor's words. The tests of
// package vendors compare both sides, and check each Answer with requests of every client.
package rules

// Answer is what the translator does with a request that would break a rule.
type Answer uint8

const (
	Repair Answer = iota + 1 // the upstream gets the same meaning in a form that it accepts
	Drop                     // the part is left out, and reported in x-edgelingua-lost
	Refuse                   // the client gets status 400 with the path of the part
)

// Rule is one rule of an upstream.
type Rule struct {
	ID      string // unique in the protocol
	Rejects string // what the upstream rejects
	Where   string // models or hosts; "" means the whole service of the API's vendor
	Answer  Answer // what the translator does
	Source  Source
}

// Source is the evidence for a rule: a document, an SDK's type, or a report with the error.
type Source struct {
	At   string // an address, owner/repository#number at GitHub, or a type of an SDK
	Date string // when the source was last read
}

// ByProtocol has the rules of each upstream protocol.
var ByProtocol = map[string][]Rule{
	"anthropic":    messages,
	"chat":         chat,
	"responses":    responses,
	"gemini":       gemini,
	"interactions": interactions,
}

const (
	read = "2026-11-26"
	// lost is for a refusal's words from public repositories whose names nobody noted. A new search has
	// found no repository with a name.
	lost = "2026-11-26, not found again"
)

// quoted is the evidence of a refusal's words: a report at GitHub, or a file, with the words.
func quoted(at, words string) Source { return Source{at + ": " + words, read} }
