package upstream

import (
	"net/http"
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
)

// Limits on an upstream's body that the worker reads as a whole, in bytes.
const (
	MaxAnswer = 16 << 20
	MaxError  = 1 << 20 // with a status of 300 or more
)

// StatusGone is the error status for a client that left before its upstream answered. No client
// receives the error.
const StatusGone = 499

// Fails reports whether an upstream can't answer now, so a fallback may be tried: the upstream was
// unreachable or silent (failed, from bridge.Host.Fetch), is overloaded, or is broken. If the
// client is gone ("aborted"), Fails returns false.
func Fails(status int, failed error) bool {
	if failed != nil {
		return !Aborted(failed)
	}
	return status == http.StatusTooManyRequests || status >= 500
}

// Aborted reports whether a fetch failed because the client is gone.
func Aborted(failed error) bool { return failed != nil && failed.Error() == "aborted" }

// Takes reports whether an upstream received a request and did not refuse it: the upstream may bill
// the request. An answer that timed out, or whose client is gone, may still be in progress. status
// 0 without failed means that the head may still arrive.
func Takes(status int, failed error) bool {
	if failed != nil {
		return failed.Error() == "timeout" || Aborted(failed)
	}
	return status < 300
}

// RetryAfter returns Seconds of the header retry-after. lines is the head of an answer.
func RetryAfter(lines string) int64 { return Seconds(bridge.HeaderOf(lines, "retry-after")) }

// Seconds returns the wait in a value of retry-after, rounded up to whole seconds, or 0 without a
// valid wait. A date counts as invalid; no model server has been seen to send a date.
func Seconds(value string) int64 {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || !(seconds > 0 && seconds < 1e6) {
		return 0
	}
	whole := int64(seconds)
	if float64(whole) < seconds {
		whole++
	}
	return whole
}

// Redirected returns the error for an upstream that answers with a redirect. Redirects are not
// followed, because they could carry the key to another server.
func Redirected(status int) *ir.Error {
	return &ir.Error{Kind: ir.Unavailable, Message: "The upstream answered with a redirect (" +
		strconv.Itoa(status) +
		"), which is not followed. Its base URL has to be the one that this leads to."}
}

// Unreached returns the error for a failed fetch. reason is the text of the error from
// bridge.Host.Fetch.
func Unreached(reason string) *ir.Error {
	if reason == "timeout" {
		return &ir.Error{Kind: ir.Timeout,
			Message: "The upstream did not answer in time. Try again, or raise the upstream's timeout."}
	}
	err := &ir.Error{Kind: ir.Unavailable, Message: "The upstream can't be reached (" + reason +
		"). Check its base URL, and that it is up."}
	if reason == "aborted" {
		err.Status = StatusGone
	}
	return err
}

// Reason names the reason of a fetch that failed, for the request log: the whole text may contain an
// address.
func Reason(reason string) string {
	if reason == "timeout" || reason == "aborted" {
		return reason
	}
	return "unreachable"
}

// BrokenOff returns the error for an upstream's body that ended too early. reason is the text of
// the error from bridge.Host.Read.
func BrokenOff(reason string) *ir.Error {
	if reason == "timeout" {
		return &ir.Error{Kind: ir.Timeout,
			Message: "The upstream stopped sending in the middle of its answer. Try again, or raise the " +
				"upstream's timeout."}
	}
	return &ir.Error{Kind: ir.Unavailable,
		Message: "The connection to the upstream broke in the middle of its answer. Try again."}
}

// Severed returns BrokenOff's error for a streamed body that ended too early, or nil for a complete
// body.
func Severed(cause bridge.Cause) error {
	switch cause {
	case bridge.TimedOut:
		return BrokenOff("timeout")
	case bridge.Cut:
		return BrokenOff("")
	}
	return nil
}
