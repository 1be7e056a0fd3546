//go:build js && wasm

package main

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// maxModel bounds a model's name in the report, in bytes: the client has made it up.
const maxModel = 128

// AppendReport appends what came of the request, as worker/bridge says.
func (a *answer) AppendReport(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendAPI(dst, `"client":`, a.client)
	dst = appendAPI(dst, `"upstream":`, a.upstream)
	dst = appendMember(dst, `"endpoint":`, a.endpoint)
	dst = appendMember(dst, `"model":`, a.asked[:min(len(a.asked), maxModel)])
	if a.sent != a.asked {
		dst = appendMember(dst, `"upstream_model":`, a.sent[:min(len(a.sent), maxModel)])
	}
	u, failed := a.outcome()
	if u != nil {
		dst = appendUsage(dst, u)
	}
	if x := a.exchange; x != nil {
		dst = appendMember(dst, `"lost":`, x.Lost.Header())
	}
	dst = appendMember(dst, `"loop":`, a.looped)
	dst = appendMember(dst, `"error":`, failed.String())
	return append(dst, '}')
}

// outcome is what the answer has cost, nil where nobody has looked, and what it has failed with.
func (a *answer) outcome() (u *ir.Usage, failed ir.ErrorKind) {
	switch {
	case a.tap != nil:
		return a.tap.Usage(), max(a.failed, a.tap.Failed())
	case a.exchange != nil:
		return &a.exchange.Usage, max(a.failed, a.exchange.Failed)
	}
	return nil, a.failed
}

func appendUsage(dst []byte, u *ir.Usage) []byte {
	if max(u.Input, u.CacheRead, u.CacheWrite) >= 0 {
		dst = appendCount(dst, `"input":`, u.Prompt())
	}
	dst = appendCount(dst, `"output":`, u.Output)
	dst = appendCount(dst, `"cached":`, u.CacheRead)
	return appendCount(dst, `"reasoning":`, u.Reasoning)
}

//go:noinline
func appendCount(dst []byte, key string, n int64) []byte {
	if n < 0 {
		return dst
	}
	return strconv.AppendInt(appendKey(dst, key), n, 10)
}

// appendAPI appends the name of a protocol, unless there is none.
func appendAPI(dst []byte, key string, api *ir.API) []byte {
	if api == nil {
		return dst
	}
	return appendMember(dst, key, api.Name)
}

// appendMember appends a text, unless it is "".
//
//go:noinline
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
