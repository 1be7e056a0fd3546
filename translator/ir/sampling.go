package ir

import "edgelingua/translator/jsonr"

// anyLogprobs is above every top_logprobs that Millionths knows.
const anyLogprobs = 1_000_000_000

// CheckSampling returns an error if temperature, top_p or top_logprobs is a number that all servers
// reject: below 0, a temperature above 2, or a top_p above 1.
//
//go:noinline
func (r *Request) CheckSampling() *Error {
	err := r.checkRange(FieldTemperature, r.Temperature, 2)
	if err == nil {
		err = r.checkRange(FieldTopP, r.TopP, 1)
	}
	if err == nil {
		err = r.checkRange(FieldTopLogprobs, r.TopLogprobs, anyLogprobs)
	}
	return err
}

// CheckLogprobs returns an error for a top_logprobs above 20, which OpenAI and Google reject. vLLM
// has an option for its limit (--max-logprobs).
func (r *Request) CheckLogprobs() *Error { return r.checkRange(FieldTopLogprobs, r.TopLogprobs, 20) }

//go:noinline
func (r *Request) checkRange(field Field, value Raw, most int64) *Error {
	if n, known := Millionths(value); known && (n < 0 || n > most*1_000_000) {
		return &Error{Kind: InvalidRequest, Path: r.FieldPath(field), Message: "out of range"}
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
