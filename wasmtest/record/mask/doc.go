// Package mask takes secrets out of texts that are kept: those that it is told, and whatever looks
// like a key by its form (forms.go).
//
// A secret is found as it is; behind up to four layers of JSON's escapes, percent-encoded and in
// HTML's references, in the readings of passing.Readings; in base64 that begins or ends at no
// letter of its alphabet; and in a stream of events also where it is spread over the pieces of one
// text (stream.go). It is not found in other letters, reversed, in base64 of base64, or where a
// text was put into several values that no stream joins.
package mask
