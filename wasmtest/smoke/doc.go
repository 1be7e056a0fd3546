// Package smoke checks a running edgelingua as clients see it: over HTTP, with independent readers
// that know the four protocols but share no code with the translator. The requests are those of
// package conform.
//
// Embedded checks every pair with the demo as the upstream, including errors. Live checks a
// deployed worker. Its upstream and model cost money and may say anything, so only the form of the
// answers is checked, not the words.
//
// Package conform checks any server of one or more of the four APIs: what clients need. The checks of
// this package also test what edgelingua promises, as about keys and refusals.
//
// A reader is strict: an answer on which an official SDK would fail is a fault. A reader stops at
// the first fault with a panic of a *fault. attempt, which runs each check, recovers from the
// panic.
package smoke
