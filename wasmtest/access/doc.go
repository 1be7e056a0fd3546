// Package access writes one log line for each request of the local host: as JSON for programs, or
// as text for people at a terminal.
//
// A line has the client, endpoint, upstream, model, status, durations, bytes and tokens of a
// request. It has names of lost fields and kinds of errors, but never the value of a field: no
// bodies, no keys, no query, and of the headers only the request's id.
package access
