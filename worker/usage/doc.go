// Package usage keeps the usage of personal endpoints and holds them to their limits. It makes the
// SQL that runs in the object of an endpoint, up to two batches before a request and one after, and
// reads what comes back; worker/serve runs it. All times are the object's own, in seconds of the
// Unix epoch: the clocks of isolates may differ.
//
//	usage_now     one row: the time of the batch that runs, and which limit refuses its request, if one does
//	usage_second  how many requests each of the last seconds has let through
//	usage_stream  a lease for each open stream, which ends by itself where nobody renews it
//	usage_open    a lease for each open request of any kind, under the name that its lease in usage_stream has
//	usage_sum     what a day, in UTC, has cost, by the clients' name of the model, the id of their key and the name of the upstream
//	usage_lost    how many requests of a day have lost a field
//	usage_error   the last requests that failed
//	usage_request the last requests, where the endpoint keeps a log of them
//	usage_health  the upstreams that have failed lately
//	usage_turn    one row: how many requests have taken a key of a pool in turn
//	usage_day     what earlier versions kept in place of usage_sum, where it goes with the next batch
package usage
