// Package mask removes secrets from texts before they are stored: known secrets, and anything with
// the form of a vendor's key (forms.go).
//
// A secret is found in plain form, and under up to four layers of JSON escapes, percent-encoding
// and HTML references (passing.Readings). In base64, a secret is found unless a further letter of
// the base64 alphabet is adjacent to the base64. In a stream of events a secret may also be spread
// over the pieces of one text (stream.go). No secret is found if its letters were changed, for
// example their case, if it was reversed or encoded twice in base64, or if it was split into
// several values that no stream joins.
package mask
