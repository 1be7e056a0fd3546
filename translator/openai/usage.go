package openai

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// ReadUsageDetails reads one of the two details objects of a usage object (API reference, "usage"):
// the prompt's, with the tokens read from and written to the cache, or the answer's, with the
// reasoning tokens. A count that is not a number stays unknown.
func ReadUsageDetails(r *jsonr.Reader, u *ir.Usage) {
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "cached_tokens":
			u.CacheRead = jsonr.Count(r.Value())
		case "cache_write_tokens":
			u.CacheWrite = jsonr.Count(r.Value())
		case "reasoning_tokens":
			u.Reasoning = jsonr.Count(r.Value())
		}
	}
}
