// Package record writes what goes through the local host to files: the client's request and answer,
// and the upstream's requests and answers. Each recording is a file in the form of the corpus
// (package wasmtest/corpus), which replay reads as it is; sections of other names have what a
// scenario does not need.
//
// A conversation is kept in the clear, but keys are not (package mask). Headers and the parameters
// of a query are written by a list (heads.go). What is gathered, and what the folder takes, is
// bounded (Bounds). Files are written beside the requests, one at a time: a slow or full disk ends
// the recording, never a request.
package record
