// Package smoke checks a running edgelingua as clients see it: over HTTP, and with readers of its
// own that know the three protocols and nothing of the translator.
//
// Embedded checks every pair with the demo as the upstream, its errors too. Live checks a deployed
// worker, whose upstream and model cost money: it checks the form of the answers, not their words.
//
// Check checks any server of one or more of the four APIs: the form of its answers, errors and
// lists. Live and Check ask a model the same questions; what is beside them goes by what edgelingua
// promises in Live, and by what clients need in Check.
//
// A reader is strict: what one of the official SDKs would fail on is a fault. A reader stops at the
// first fault by a panic with a *fault, which attempt, around each check, recovers.
package smoke
