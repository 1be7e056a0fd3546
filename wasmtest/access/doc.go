// Package access writes one log line for each request of the local host: as JSON for programs, or
// in words for people at a terminal.
//
// A line says who asked whom for which model, what came of it, how long it took, and how many bytes
// and tokens it was. It has names of fields and kinds of errors, never the value of a field: no
// bodies, no keys, no query, and of the headers only the request's id.
package access
