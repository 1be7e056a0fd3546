package serve

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/keyforms"
	"edgelingua/worker/usage"
)

const maxModel = endpoint.MaxModel

// AppendReport appends the result of the request as a JSON object. "The report" in worker/bridge
// lists its members.
func (h *record) AppendReport(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendAPI(dst, `"client":`, h.client)
	if h.last.upstream != nil {
		dst = appendAPI(dst, `"upstream":`, h.last.upstream.API)
		dst = appendMember(dst, `"to":`, h.last.upstream.Name)
	}
	dst = appendMember(dst, `"endpoint":`, h.endpoint)
	dst = appendMember(dst, `"model":`, shown(h.clientModel))
	if h.last.model != h.clientModel {
		dst = appendMember(dst, `"upstream_model":`, shown(h.last.model))
	}
	u, failed := h.upstreamUsage()
	summary := int64(-1)
	if u != nil {
		if s := h.extraSummary(); s != nil {
			both := u.Plus(&s.Usage)
			u, summary = &both, s.Usage.Prompt()+max(s.Usage.Output, 0)
		}
		dst = appendUsage(dst, u)
		dst = appendCount(dst, `"summary":`, summary)
	}
	if len(h.advisor.calls) > 0 {
		tokens, _ := h.adviceTokens()
		dst = appendCount(dst, `"advice":`, tokens)
	}
	if x := h.last.exchange; x != nil && x.Ran > 0 {
		dst = appendCount(dst, `"searches":`, x.Ran)
	}
	if x := h.last.exchange; x != nil && x.Fetched > 0 {
		dst = appendCount(dst, `"fetches":`, x.Fetched)
	}
	if h.account.counts && h.account.cost != usage.Unknown {
		dst = h.account.cost.Append(appendKey(dst, `"cost":`))
	}
	dst = appendMember(dst, `"lost":`, h.lost())
	if h.last.exchange != nil {
		if n := h.last.inner().CutDescriptions(); n > 0 {
			dst = appendCount(dst, `"tool_descriptions_cut":`, n)
		}
	}
	if h.last.unknown {
		dst = append(appendKey(dst, `"unknown_model":`), "true"...)
	}
	dst = appendMember(dst, `"gateway_cache":`, h.last.cache)
	dst = appendMember(dst, `"loop":`, h.loop)
	dst = appendMember(dst, `"unpriced":`, h.unpriced)
	dst = appendMember(dst, `"error":`, max(h.result.failure, failed).String())
	return append(dst, '}')
}

// shown returns a model's name for a log, an error or the usage: truncated, and with "[key]" instead
// of a key. Some clients send the key as the model when their settings are mixed up.
func shown(model string) string {
	return keyforms.Mask(model[:min(len(model), maxModel)], "[key]")
}

// appendUsage appends the token counts that are known.
func appendUsage(dst []byte, u *ir.Usage) []byte {
	if max(u.Input, u.CacheRead, u.CacheWrite) >= 0 {
		dst = appendCount(dst, `"input":`, u.Prompt())
	}
	dst = appendCount(dst, `"output":`, u.Output)
	dst = appendCount(dst, `"cached":`, u.CacheRead)
	return appendCount(dst, `"reasoning":`, u.Reasoning)
}

// appendCount appends a count, unless it is negative (unknown).
func appendCount(dst []byte, key string, n int64) []byte {
	if n < 0 {
		return dst
	}
	return strconv.AppendInt(appendKey(dst, key), n, 10)
}

// appendAPI appends the name of a protocol, unless api is nil.
func appendAPI(dst []byte, key string, api *ir.API) []byte {
	if api == nil {
		return dst
	}
	return appendMember(dst, key, api.Name)
}

// appendMember appends a text, unless the text is "".
func appendMember(dst []byte, key, text string) []byte {
	if text == "" {
		return dst
	}
	return jsonw.AppendString(appendKey(dst, key), text)
}

// appendKey appends the key of an object's next member.
func appendKey(dst []byte, key string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(dst, key...)
}
