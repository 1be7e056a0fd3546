package gemini

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// maxLogprobs bounds, in bytes, the logprobs that wait in a stream for their text.
const maxLogprobs = 64 << 10

// logprobs are the log probabilities of tokens: in a stream for the next text, in a plain body for
// the whole text.
type logprobs struct{ chosen, top []byte }

// add adds a list in the form of OpenAI's APIs (ir.LogprobsDelta).
func (l *logprobs) add(list ir.Raw) {
	r := jsonr.NewReader(string(list))
	for r.OpenArray(); r.Element(); {
		l.chosen = appendElement(l.chosen)
		var others jsonr.Reader
		l.chosen = appendLikely(l.chosen, &r, &others)
		l.top = append(appendElement(l.top), `{"candidates":[`...)
		separator := ""
		for others.OpenArray(); others.Element(); separator = "," {
			l.top = appendLikely(append(l.top, separator...), &others, nil)
		}
		l.top = append(l.top, `]}`...)
	}
}

// appendElement appends the comma before an element, except before the first.
func appendElement(list []byte) []byte {
	if len(list) > 0 {
		list = append(list, ',')
	}
	return list
}

// appendLikely appends the token at r. If others is not nil, it is set to the list of the likeliest
// tokens at the same position.
func appendLikely(dst []byte, r *jsonr.Reader, others *jsonr.Reader) []byte {
	token, likely := ir.Escaped(""), ir.Raw("0")
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); {
		case key == "token":
			token, _ = jsonr.Text(r.Value())
		case key == "logprob" && r.Kind() == jsonr.Number:
			likely = r.Value()
		case key == "top_logprobs" && others != nil:
			*others = r.Here()
		}
	}
	dst = jsonw.AppendTextMember(dst, `{"token":`, token)
	return append(append(append(dst, `,"logProbability":`...), likely...), '}')
}

// isLong reports whether a stream may not wait for more text.
func (l *logprobs) isLong() bool { return len(l.chosen)+len(l.top) > maxLogprobs }

// appendTo appends logprobsResult (Gemini API, "LogprobsResult"), unless there is none.
func (l *logprobs) appendTo(dst []byte) []byte {
	if len(l.chosen) == 0 {
		return dst
	}
	dst = append(append(dst, `,"logprobsResult":{"chosenCandidates":[`...), l.chosen...)
	dst = append(append(dst, `],"topCandidates":[`...), l.top...)
	return append(dst, `]}`...)
}

func (l *logprobs) reset() { l.chosen, l.top = l.chosen[:0], l.top[:0] }
