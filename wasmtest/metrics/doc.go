// Package metrics counts the requests of the local host, from the entries of its log, and shows the
// counts in Prometheus' text form.
//
// A request is counted when it is over. The labels are names of endpoints and of their upstreams,
// which their operator has given, and kinds of outcomes: never a key, a path, or a model, which
// clients make up.
package metrics
