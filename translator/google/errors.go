package google

import (
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// DecodeError reads an answer with an HTTP status of 400 or more; body may be anything. Google's
// errors are {"error":{"code","message", "status","details"}} (google.rpc.Status, AIP-193), in a
// list if the request asked for a stream without alt=sse.
func DecodeError(status int, body string) *ir.Error {
	return refined(failure.Decode(status, body), body)
}

// DecodeEvent reads an error that came instead of a chunk, or instead of a body with a good status.
func DecodeEvent(text string) *ir.Error {
	return refined(failure.DecodeEvent(text), text)
}

// IsListOfErrors reports whether an answer is [{"error":...}], the form of an error in a stream
// without alt=sse.
func IsListOfErrors(r jsonr.Reader) bool {
	if r.Kind() != jsonr.Array {
		return false
	}
	r.OpenArray()
	if r.Element() {
		for r.OpenObject(); r.Member(); {
			if r.Key() == "error" {
				return true
			}
		}
	}
	return false
}

// refined adds the parts that only Google's errors have: the status as a word, which becomes the
// code, and the details.
func refined(e *ir.Error, text string) *ir.Error {
	if jsonr.Check(text) != nil {
		return e
	}
	r := jsonr.NewReader(text)
	if r.Kind() == jsonr.Array {
		if r.OpenArray(); !r.Element() {
			return e
		}
	}
	var status ir.Escaped
	d := details{seconds: -1}
	for r.OpenObject(); r.Member(); {
		if r.Key() != "error" {
			continue
		}
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "status":
				status, _ = jsonr.Text(r.Value())
			case "details":
				for r.OpenArray(); r.Element(); {
					d.read(&r)
				}
			}
		}
	}
	if status != "" {
		e.Code = ir.Shortened(jsonw.Unescape(status))
	}
	if e.Status == 0 && e.Kind == ir.Internal {
		e.Kind = kindOf(e.Code)
	}
	switch {
	case d.badKey: // Google answers a wrong key with 400
		e.Kind, e.Status = ir.Authentication, 401
	case e.Kind == ir.RateLimit && ((d.daily || e.Code == "quota_exceeded") && (d.seconds < 0 ||
		d.seconds > maxWait) || strings.Contains(e.Message, depleted)):
		e.Kind = ir.Quota
	}
	e.Wait = max(d.seconds, 0)
	// Google's own words: most rate limit errors have them
	if d.seconds >= 0 && !strings.Contains(e.Message, "retry in ") {
		e.Message += " Please retry in " + d.delay + "."
	}
	return e
}

// maxWait is the longest wait for a daily limit that still counts as a rate limit, in seconds:
// gemini-cli waits as long (google-gemini/gemini-cli#21881). Google also sends daily limits with a
// delay of half a minute, and the request passes afterwards (diegosouzapw/OmniRoute#9504).
const maxWait = 300

// depleted is part of the message of a 429 without details, when the project has no credit left
// (google-gemini/gemini-cli#22994).
const depleted = "prepayment funds are depleted"

// kindOf returns the kind of an error without an HTTP status. code is the status (google.rpc.Code),
// or the code of the Interactions API (ai.google.dev/gemini-api/docs/api-errors). Codes that
// package failure knows are not listed here. In the Interactions API, "safety" and similar codes
// say that a filter refused the request; "malformed_function_call" and similar codes say that the
// model's output is unusable, and a retry may succeed.
func kindOf(code string) ir.ErrorKind {
	switch code {
	case "INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE", "failed_precondition", "out_of_range",
		"parameter_unknown", "missing_thought_signature",
		"content_blocked", "safety", "recitation", "language", "prohibited_content", "spii", "blocklist",
		"image_safety", "image_prohibited_content", "image_recitation", "image_other":
		return ir.InvalidRequest
	case "UNAUTHENTICATED", "authentication":
		return ir.Authentication
	case "PERMISSION_DENIED", "permission_denied":
		return ir.Permission
	case "NOT_FOUND", "not_found":
		return ir.NotFound
	case "RESOURCE_EXHAUSTED":
		return ir.RateLimit
	case "payment_required", "quota_exceeded":
		return ir.Quota
	case "UNAVAILABLE", "service_unavailable":
		return ir.Overloaded
	case "DEADLINE_EXCEEDED", "deadline_exceeded":
		return ir.Timeout
	case "malformed_function_call", "malformed_tool_call", "unexpected_tool_call", "no_image",
		"too_many_tool_calls":
		return ir.Unavailable
	}
	return ir.Internal
}

// details are the facts in an error's details that change a client's behavior.
type details struct {
	delay   string // RetryInfo: how long until another request may pass, as "34.4s"
	seconds int64  // the delay in seconds, rounded up, -1 if unknown
	daily   bool   // QuotaFailure or ErrorInfo: the limit counts by the day
	badKey  bool   // ErrorInfo: the key is not valid
}

// read reads one element of details (google/rpc/error_details.proto), by its members: no two types
// share a member with different meanings.
func (d *details) read(r *jsonr.Reader) {
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "retryDelay", "retry_delay":
			text, _ := jsonr.Text(r.Value())
			d.wait(string(text))
		case "reason": // ErrorInfo
			d.badKey = d.badKey || r.Value() == `"API_KEY_INVALID"`
		case "metadata": // ErrorInfo
			for r.OpenObject(); r.Member(); {
				d.limit(r.Key(), r.Value())
			}
		case "violations": // QuotaFailure
			for r.OpenArray(); r.Element(); {
				for r.OpenObject(); r.Member(); {
					d.limit(r.Key(), r.Value())
				}
			}
		}
	}
}

// wait reads a Duration: seconds with up to nine decimals, and "s".
func (d *details) wait(text string) {
	number, ok := strings.CutSuffix(text, "s")
	whole, fraction, _ := strings.Cut(number, ".")
	n := jsonr.Count(ir.Raw(whole))
	if !ok || n < 0 || len(fraction) > 9 || fraction != "" && jsonr.Count(ir.Raw(fraction)) < 0 {
		return
	}
	if d.delay, d.seconds = text, n; strings.Trim(fraction, "0") != "" {
		d.seconds++
	}
}

// limit reads the name of a limit, for example GenerateRequestsPerDayPerProjectPerModel-FreeTier.
func (d *details) limit(key string, v ir.Raw) {
	if key == "quotaId" || key == "quota_limit" {
		d.daily = d.daily || strings.Contains(string(v), "PerDay")
	}
}
