// Package readme holds the documents to what the code and the corpus know better. It makes the sections of docs/ that stand between
// two markers: what is carried between the protocols, and what can be configured; go test ./wasmtest/readme -update writes them. Its
// tests also follow every link, look for every error that is explained, and run the Go program of docs/libraries.md.
package readme
