package openai

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// ReadUsageDetails reads one of the two details objects of a usage object: of the prompt, with the
// tokens read from the cache and written to it, or of the answer, with those of reasoning (API
// reference, "usage"). A count that is no number is unknown.
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
