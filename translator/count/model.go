package count

import "strings"

// tokenizer describes a model's tokenizer.
type tokenizer struct {
	factor  int64 // how many tokens a text is, for 100 tokens of o200k_base
	side    int64 // the longer side of an image in pixels, to which larger images are scaled down
	largest int64 // the maximum tokens of an image
}

// tokenizerOf returns the tokenizer of a model, by its name.
//
// Claude's tokenizers are not published. The tokenizers up to 4.6 make 16 to 30 % more tokens of
// English, mathematics and Python than GPT-4o's o200k_base (VentureBeat, "Why Claude models may be
// 20-30% more expensive than GPT", May 2025). Later ones make 30 % more again (Anthropic, "Token
// counting") and see images in higher resolution ("Vision"). The vocabularies of other vendors are
// about as large as o200k_base.
func tokenizerOf(model string) tokenizer {
	_, version, isClaude := strings.Cut(model, "claude-")
	switch {
	case !isClaude:
		return tokenizer{100, 1568, 1600}
	case isOlder(version):
		return tokenizer{120, 1568, 1600}
	}
	return tokenizer{156, 2576, 4784}
}

// isOlder reports whether the name of a Claude model, as opus-4-6, sonnet-4-20250514 or 3-5-haiku,
// means 4.6 or earlier.
func isOlder(name string) bool {
	at := strings.IndexAny(name, "0123456789")
	if at < 0 || name[at] > '4' {
		return false
	}
	minor := name[at+1:]
	// or a date
	return name[at] < '4' || len(minor) < 2 || len(minor) > 2 && '0' <= minor[2] && minor[2] <= '9' ||
		minor[1] < '7'
}
