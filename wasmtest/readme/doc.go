// Package readme checks the documents against the code and the corpus. It generates the sections of
// docs/ between two markers: the tables of losses and of settings, and an example of the
// translator. `go test ./wasmtest/readme -update` writes the sections. The tests also follow every
// link, and look for every explained error.
package readme
