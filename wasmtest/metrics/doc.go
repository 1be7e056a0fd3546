// Package metrics counts the requests of the local host by the entries of its log, and writes the
// counts in Prometheus' text form.
//
// A request is counted when it is finished. Labels are the names of endpoints and upstreams, which
// the operator chose, and kinds of outcomes. Keys, paths and models are never labels: clients can
// make them up.
package metrics
