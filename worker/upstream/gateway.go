package upstream

import (
	"strconv"

	"github.com/tidwall/gjson"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Cached says whether a gateway has answered from its cache: "hit" or "miss", or "" where it does
// not say. Who is no gateway says nothing, or its answers would be free.
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

// Told returns err, which an upstream has answered with its status and body when it was asked at a
// URL, with what its operator can do about it where that is known.
func Told(u *endpoint.Upstream, url string, err *ir.Error, body string) *ir.Error {
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

// gatewayCode returns the code of an error of AI Gateway's own; own is false for a body that is the
// provider's.
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

// gatewayHint says what to do about an error of AI Gateway's own:
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
