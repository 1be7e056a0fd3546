// Package record writes the traffic of the local host to files: the client's request and answer,
// and the upstream requests and their answers. Each recording is one file in the form of the corpus
// (package wasmtest/corpus), and replay reads it unchanged. Sections with other names have
// everything that a scenario does not need.
//
// Conversations are recorded in plain text, but keys are masked (package mask). For headers and
// query parameters, allow-lists decide whether they are written (heads.go). Memory and the folder
// are bounded (Bounds). Files are written in the background, one at a time. A slow or full disk
// stops the recording, never a request.
//
// Viewer serves the recordings to the page (viewer.go, shown.go): bounded, and only to clients with
// access to the settings of the recorded endpoint. Clients, models and servers wrote the contents, so
// the page never makes HTML of a recording.
package record
