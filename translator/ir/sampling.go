package ir

import "edgelingua/translator/jsonr"

// CheckSampling returns an error if temperature, top_p or top_logprobs is a number that all vendors
// of the APIs reject: below 0, a temperature above 2, a top_p above 1, or top_logprobs above 20.
//
//go:noinline
func (r *Request) CheckSampling() *Error {
	for _, c := range [...]struct {
		field Field
		value Raw
		most  int64
	}{{FieldTemperature, r.Temperature, 2}, {FieldTopP, r.TopP, 1}, {FieldTopLogprobs, r.TopLogprobs, 20}} {
		if n, known := Millionths(c.value); known && (n < 0 || n > c.most*1_000_000) {
			return &Error{Kind: InvalidRequest, Path: r.FieldPath(c.field), Message: "out of range"}
		}
	}
	return nil
}

// TopKIsNegative reports whether top_k is below 0: vLLM reads -1 as all tokens, and the APIs' vendors
// reject it.
func (r *Request) TopKIsNegative() bool { return r.TopK != "" && r.TopK[0] == '-' }

// Millionths returns a JSON number in units of a millionth, without the decimals after the sixth.
// ok is false for a number with an exponent, or with ten or more digits before the point.
//
//go:noinline
func Millionths(v Raw) (n int64, ok bool) {
	if jsonr.KindOf(v) != jsonr.Number || len(v) > 24 {
		return 0, false
	}
	digits, scale, negative := 0, -1, false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '-' && i == 0:
			negative = true
		case c == '.':
			scale = 0
		case c < '0' || c > '9':
			return 0, false
		case scale < 0:
			if digits++; digits > 9 {
				return 0, false
			}
			n = n*10 + int64(c-'0')
		case scale < 6:
			n = n*10 + int64(c-'0')
			scale++
		}
	}
	for scale = max(scale, 0); scale < 6; scale++ {
		n *= 10
	}
	if negative {
		n = -n
	}
	return n, true
}
