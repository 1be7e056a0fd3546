// Package usage records the usage of personal endpoints and enforces their limits. It makes the SQL
// that runs in the object of an endpoint, up to two batches before a request and one after, and
// reads the rows. worker/serve runs the batches. All times are from the object's own clock, in
// seconds of the Unix epoch, because the clocks of isolates may differ.
//
//	usage_now     one row: the time of the current batch, and the limit that refuses its request
//	usage_second  the number of requests admitted in each of the last seconds
//	usage_key_second  the same by the key's id, for keys that limit requests per minute
//	usage_stream  a lease for each open stream; a lease expires unless it is renewed
//	usage_open    a lease for each open request of any kind, with the same name as in usage_stream
//	usage_sum     the usage of a day (UTC) by the client's model, the client key's id and the
//	              upstream's name
//	usage_hour    the same by the hour, for the last eight days
//	usage_lost    the number of requests of a day that have lost a field
//	usage_error   the last requests that failed
//	usage_refused the number of requests of a day that a limit has refused, by key and limit
//	usage_log     the request log: the last requests, if the endpoint has a log
//	usage_session the sums of the sessions of clients, if the endpoint has a log
//	usage_health  the upstreams that have failed lately
//	usage_turn    one row: the number of requests that have used a key of a pool in rotation
//	usage_sent    one row: what package totals knows of this usage
//	usage_replaced the keys that other keys have replaced in the last 30 days
//	usage_day     a table of earlier versions; the next batch moves its rows to usage_sum
//	usage_request a table of earlier versions; the next batch moves its rows to usage_log
package usage
