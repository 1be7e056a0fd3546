package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

const (
	maxCallID   = 40 // OpenAI: "string too long. Expected a string with maximum length 40"; vLLM's own have more
	shortCallID = 9  // Mistral: "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9."
)

// callID returns the id by which the upstream knows a call: the client's own, where the upstream takes it.
func (w *requestWriter) callID(id ir.Escaped) ir.Escaped {
	switch {
	case !w.t.ShortCallIDs:
		return openai.ShortID(id, maxCallID)
	case len(id) == shortCallID && isAlphanumeric(string(id)):
		return id
	}
	return ir.Digest(id)[:shortCallID]
}

func isAlphanumeric(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}
