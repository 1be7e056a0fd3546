// Package readme holds the documents to what the code and the corpus know better. It makes the
// sections of docs/ that stand between two markers: what is carried between the protocols, what can
// be configured, and an example of the translator; go test ./wasmtest/readme -update writes them.
// Its tests also follow every link, and look for every error that is explained.
package readme
