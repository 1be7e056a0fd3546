// Package totals adds up the usage of all endpoints, for the operator's overview. It makes the SQL
// that runs in the object Object, and reads the rows. worker/admin runs the batches.
//
// The objects of the endpoints send their sums as texts (usage.SendDue), at most every five minutes.
// The overview also collects the sums of endpoints with later requests (usage.Collect), a few in each
// request, so it needs a fixed number of calls for any number of endpoints.
//
//	total_now       one row: the time of the current batch
//	total_endpoint  each endpoint that has sent sums: the number of its last text, whether later
//	                requests may be missing (settled 0), and its failing upstreams
//	total_part      the sums of an endpoint on a day, as JSON
//	total_day       the sums of all endpoints on an earlier day, by endpoint, model and key
//	total_stale     the days whose parts have changed since their rows of total_day were made
//	total_search    one row: where the search for endpoints with usage of earlier versions goes on
package totals
