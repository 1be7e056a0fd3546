package upstream

import (
	"net/http"
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
)

// Limits of an upstream's body that is read as a whole, in bytes.
const (
	MaxAnswer = 16 << 20
	MaxError  = 1 << 20 // with a status of 300 or more
)

// StatusGone is the status of the error for a client that left before its upstream answered. Nobody
// is told of that error.
const StatusGone = 499

// Fails reports whether an upstream can't answer now, so that another may: it was not reached or
// silent (failed, from bridge.Host.Fetch), has too much to do, or is broken. A client that is gone
// needs no other upstream.
func Fails(status int, failed error) bool {
	if failed != nil {
		return failed.Error() != "aborted"
	}
	return status == http.StatusTooManyRequests || status >= 500
}

// Takes reports whether an upstream has a request and has not refused it, so that it may bill it.
// An answer that did not come in time may be under way, as one whose client is gone. status 0
// without failed: the head may still come.
func Takes(status int, failed error) bool {
	if failed != nil {
		return failed.Error() == "timeout" || failed.Error() == "aborted"
	}
	return status < 300
}

// RetryAfter returns the seconds that the head of an answer says to wait, 0 where it says none. A
// date, which no server of a model was seen to send, counts as none.
func RetryAfter(lines string) int64 {
	seconds, err := strconv.ParseFloat(bridge.HeaderOf(lines, "retry-after"), 64)
	if err != nil || !(seconds > 0 && seconds < 1e6) {
		return 0
	}
	return int64(seconds) + 1
}

// Redirected returns the error for an upstream that answers with a redirect, which could carry the
// key elsewhere.
func Redirected(status int) *ir.Error {
	return &ir.Error{Kind: ir.Unavailable, Message: "The upstream answered with a redirect (" +
		strconv.Itoa(status) +
		"), which is not followed. Its base URL has to be the one that this leads to."}
}

// Unreached returns the error for a fetch that failed; reason is the text of bridge.Host.Fetch's error.
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

// BrokenOff returns the error for an upstream's body that did not come to its end; reason is the
// text of bridge.Host.Read's error.
func BrokenOff(reason string) *ir.Error {
	if reason == "timeout" {
		return &ir.Error{Kind: ir.Timeout,
			Message: "The upstream stopped sending in the middle of its answer. Try again, or raise the " +
				"upstream's timeout."}
	}
	return &ir.Error{Kind: ir.Unavailable,
		Message: "The connection to the upstream broke in the middle of its answer. Try again."}
}

// Severed returns BrokenOff's error for a streamed body, nil for one that came to its end.
func Severed(cause bridge.Cause) error {
	switch cause {
	case bridge.TimedOut:
		return BrokenOff("timeout")
	case bridge.Cut:
		return BrokenOff("")
	}
	return nil
}
