// Package access writes one line for each request of the local host: as JSON for programs, or for people at a terminal.
//
// A line says who asked whom, for which model, what came of it, how long it took and how much it was. It holds names of fields
// and kinds of errors, never what a field holds: no bodies, no keys, no header but the request's id, no query.
package access
