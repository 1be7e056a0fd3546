package ir

import (
	"strconv"

	"edgelingua/translator/jsonw"
)

const (
	hashDigits = 16
	hexDigits  = "0123456789abcdef"
)

// Identifier returns a name or an id in the form accepted by the APIs: only [a-zA-Z0-9_-], and at
// most max characters (0: any number). An e of that form is returned unchanged. Any other e becomes
// the longest beginning that fits, with '_' for each byte outside the set, then '_' and 16 hex
// digits of a hash of the whole. The result is always the same for the same text, whatever its
// escapes, and in practice different for different texts: the hash has 64 bits, and is no defense
// against a client that wants two of its own names to collide (docs/contributing/faults.md: 15, 61,
// 62).
func Identifier(e Escaped, max int) Escaped {
	if isIdentifier(string(e)) && (max == 0 || len(e) <= max) {
		return e
	}
	plain := jsonw.Unescape(e) // a name can be escaped in several ways; all give the same result
	if isIdentifier(plain) && (max == 0 || len(plain) <= max) {
		return Escaped(plain)
	}
	keep := len(plain)
	if limit := max - hashDigits - 1; max > 0 && keep > limit {
		keep = limit
	} else if keep > 64 {
		keep = 64
	}
	b := make([]byte, 0, keep+1+hashDigits)
	for i := 0; i < keep; i++ {
		c := plain[i]
		if !isIdentifierByte(c) {
			c = '_'
		}
		b = append(b, c)
	}
	return Escaped(appendHash(append(b, '_'), plain))
}

// AnswerID returns the id of an answer for a client whose API begins such ids with prefix. The id
// is derived from upstream, the upstream's id of the answer.
func AnswerID(prefix string, upstream Escaped) Escaped {
	if upstream == "" {
		upstream = "unnamed"
	}
	if len(upstream) > len(prefix) && string(upstream[:len(prefix)]) == prefix {
		return Identifier(upstream, 0)
	}
	return Escaped(prefix) + Identifier(upstream, 0)
}

// MadeID returns an id for an answer without an id from the upstream. Each turn of a conversation
// gets a different id: Claude Code merges consecutive messages with the same id, if only tool
// results are between them, into one message.
func MadeID(r *Request) Escaped {
	return Escaped("unnamed_" + strconv.FormatInt(r.Received, 10) + "_" + strconv.Itoa(len(r.Messages)))
}

// CallIDs has the ids of the calls in an upstream's request. The zero value is ready.
type CallIDs struct {
	used  map[Escaped]bool
	again int // the number of ids made for calls that repeat another call's id
}

// Unique returns the id for a call: id, or id with a number at its end if an earlier call has the
// same id. If that has more than max characters (0: any number), Unique returns a digest. Kimi K3
// at Fireworks counts from the beginning in each turn (fw-ai/fireconnect#16, vllm-
// project/vllm#50295), llama.cpp gives a constant id (NousResearch/hermes-agent#70724), and
// clients send both back. Upstreams reject a repeated id: "`tool_use` ids must be unique"
// (BerriAI/litellm#23510), "Duplicate value for 'tool_call_id'" (agno-agi/agno#5116).
//
//go:noinline
func (c *CallIDs) Unique(id Escaped, max int) Escaped {
	unique := id
	for c.used[unique] {
		c.again++
		unique = id + "_" + Escaped(strconv.Itoa(c.again))
		if max > 0 && len(unique) > max {
			unique = Digest(unique)[:min(max, hashDigits)]
		}
	}
	if c.used == nil {
		c.used = make(map[Escaped]bool, 16)
	}
	c.used[unique] = true
	return unique
}

// Len returns the number of calls.
func (c *CallIDs) Len() int { return len(c.used) }

// Digest returns 16 hex digits, a hash of id. The hash does not show id, but whoever guesses id can
// check the guess.
func Digest(id Escaped) Escaped {
	return Escaped(appendHash(make([]byte, 0, hashDigits), string(id)))
}

// appendHash appends the 16 hex digits of s.
func appendHash(b []byte, s string) []byte {
	sum := fnv1a(s)
	for shift := 60; shift >= 0; shift -= 4 {
		b = append(b, hexDigits[sum>>shift&15])
	}
	return b
}

func isIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isIdentifierByte(s[i]) {
			return false
		}
	}
	return s != ""
}

func isIdentifierByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// fnv1a returns the 64-bit FNV-1a hash of s.
func fnv1a(s string) uint64 {
	sum := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		sum = (sum ^ uint64(s[i])) * 1099511628211
	}
	return sum
}
