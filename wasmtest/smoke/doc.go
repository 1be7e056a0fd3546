// Package smoke checks a running edgelingua as clients see it: over HTTP, and with readers of its own that know the three
// protocols and nothing of the translator.
//
// Embedded checks every pair before the demo upstream, with its errors. Live checks a deployed worker, whose upstream and model
// cost money: it looks at the grammar of answers and not at their words.
//
// A reader is strict: what one of the official SDKs would trip over is a fault. The readers stop at the first one, with a panic
// of *fault, which runs no further than the check (attempt).
package smoke
