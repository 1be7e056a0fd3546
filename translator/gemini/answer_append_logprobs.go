package gemini

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// maxLogprobs is for how many bytes of logprobs a stream waits for the text that they belong to.
const maxLogprobs = 64 << 10

// logprobs are how likely the tokens of the text are that comes next, of a plain body those of all
// of it.
type logprobs struct{ chosen, top []byte }

// add takes a list as OpenAI's APIs have it (ir.LogprobsDelta).
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

// appendElement appends the comma in front of an element that is not the first.
func appendElement(list []byte) []byte {
	if len(list) > 0 {
		list = append(list, ',')
	}
	return list
}

// appendLikely appends the token that r stands before, and notes the list of the likeliest ones in
// its place.
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
