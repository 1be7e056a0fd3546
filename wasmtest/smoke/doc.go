// Package smoke checks a running edgelingua as clients see it: over HTTP, and with readers of its own that know the three
// protocols and nothing of the translator.
//
// Embedded checks every pair with the demo as the upstream, its errors too. Live checks a deployed worker, whose upstream and
// model cost money: it checks the form of the answers, not their words.
//
// A reader is strict: what one of the official SDKs would fail on is a fault. A reader stops at the first fault by a panic with a
// *fault, which attempt, around each check, recovers.
package smoke
