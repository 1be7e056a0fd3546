// Package usage keeps the usage of personal endpoints and holds them to their limits. It makes the SQL that runs in the object of
// an endpoint, up to two batches before a request and one after, and reads what comes back; worker/usage.go runs it. All times are the
// object's own, in seconds of the Unix epoch: the clocks of isolates may differ.
//
//	usage_now     one row: the time of the batch that runs, and which limit refuses its request, if one does
//	usage_second  how many requests each of the last seconds has let through
//	usage_stream  a lease for each open stream, which ends by itself where nobody renews it
//	usage_open    a lease for each open request of any kind, under the name that its lease in usage_stream has
//	usage_day     what a day, in UTC, has cost, for each of the clients' names of models
//	usage_error   the last requests that failed
package usage
