package gemini

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// readLogprobs reads logprobsResult, and buffers it in the form of OpenAI's APIs for the text of
// the same chunk. chosenCandidates has the chosen token of each step, topCandidates the likeliest
// tokens (Gemini API, "LogprobsResult"). Only a client that asks for logprobs gets them.
func (d *decoder) readLogprobs(v ir.Raw) {
	if jsonr.IsNothing(v) {
		return
	}
	if d.request.Logprobs == "" {
		d.lost.Add(lostLogprobs)
		return
	}
	var chosen, top jsonr.Reader
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "chosenCandidates", "chosen_candidates":
			chosen = r.Here()
		case "topCandidates", "top_candidates":
			top = r.Here()
		}
	}
	b, separator := append(d.logprobs[:0], '['), ""
	top.OpenArray()
	for chosen.OpenArray(); chosen.Element(); {
		b = append(b, separator...)
		b = append(appendLogprob(b, &chosen), `,"top_logprobs":[`...)
		separator = ""
		if top.Element() {
			for top.OpenObject(); top.Member(); {
				if top.Key() != "candidates" {
					continue
				}
				for top.OpenArray(); top.Element(); {
					b = append(appendLogprob(append(b, separator...), &top), '}')
					separator = ","
				}
			}
		}
		b, separator = append(b, "]}"...), ","
	}
	if d.logprobs = append(b, ']'); separator == "" {
		d.logprobs = d.logprobs[:0]
	}
}

// appendLogprob appends the object of a token without its closing bracket.
func appendLogprob(b []byte, r *jsonr.Reader) []byte {
	token, likely := ir.Escaped(""), ir.Raw("0") // protobuf's JSON leaves a zero out
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "token":
			token, _ = jsonr.Text(r.Value())
		case "logProbability", "log_probability":
			if r.Kind() == jsonr.Number {
				likely = r.Value()
			}
		}
	}
	b = jsonw.AppendEscaped(append(b, `{"token":`...), token)
	b = append(append(b, `,"logprob":`...), likely...)
	b = append(b, `,"bytes":[`...)
	for i, c := range []byte(jsonw.Unescape(token)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(c), 10)
	}
	return append(b, ']')
}
