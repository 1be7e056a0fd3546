package upstream

import (
	"strconv"

	"github.com/tidwall/gjson"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Cached returns "hit" or "miss" if a gateway says whether the answer is from its cache, else "".
// An upstream that is not a gateway is ignored: otherwise it could make its answers look free.
func Cached(u *endpoint.Upstream, lines string) string {
	if u.Gateway == nil {
		return ""
	}
	switch bridge.HeaderOf(lines, "cf-aig-cache-status") {
	case "HIT":
		return "hit"
	case "MISS":
		return "miss"
	}
	return ""
}

// Advise returns err with advice for the operator, if there is advice, else err. An upstream answered
// the request to url with the status of err and with body. Advise changes only a copy of err.
func Advise(u *endpoint.Upstream, url string, err *ir.Error, body string) *ir.Error {
	if code, own := gatewayCode(body); u.Gateway != nil && own && err != nil {
		told := *err
		told.Message = "AI Gateway, through which this upstream is reached, refuses the request (code " +
			strconv.FormatInt(code, 10) + "). " +
			gatewayHint(code, err.HTTPStatus()) + " Its own words: " + err.Message
		return &told
	}
	if u.IsVertex() && err != nil {
		return toldByVertex(err)
	}
	return Missing(u, url, err, body)
}

// gatewayCode returns the code of an error from AI Gateway itself. If the body is the provider's,
// own is false.
func gatewayCode(body string) (code int64, own bool) {
	gjson.Parse(body).ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "name":
			own = v.Str == "AiGatewayError"
		case "internalCode":
			code = int64(v.Num)
		}
		return true
	})
	return code, own
}

// gatewayHint returns advice on an error from AI Gateway itself:
// developers.cloudflare.com/ai-gateway/features/guardrails/set-up-guardrail,
// .../features/rate-limiting, .../features/spend-limits; 2009: cloudflare/cloudflare-docs#31050,
// can1357/oh-my-pi#11327.
func gatewayHint(code int64, status int) string {
	switch {
	case code == 2009:
		return "The token of the gateway is missing or wrong, or the gateway is asked too often: its " +
			"operator sets the token again."
	case code == 2016:
		return "Its guardrails block the prompt: change that, or the guardrails."
	case code == 2017:
		return "Its guardrails block the answer: ask otherwise, or change the guardrails."
	case code == 2021:
		return "Its guardrails need more credits at Cloudflare."
	case code == 7013:
		return "Its guardrails can't be reached: try again."
	case status == 429:
		return "A rate limit or a spend limit of the gateway is reached: wait, or raise it."
	}
	return "Its log has more about it."
}
