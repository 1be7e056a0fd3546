package openai

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Logprobs collects the log probabilities of a text's tokens until the text ends. Both APIs have
// the same elements: {"token","logprob","bytes","top_logprobs"}.
type Logprobs struct {
	list     []byte // the elements, separated by commas
	returned int    // the length of list that New has returned
}

// Begin drops all elements, for a new text.
func (p *Logprobs) Begin() { p.list, p.returned = p.list[:0], 0 }

// Add appends the elements of a list of either API. noBytes is written for a token without "bytes":
// null in Chat Completions, and an empty list in Responses, where the member must be a list. In
// Responses only complete texts have "bytes", deltas do not (ResponseTextDeltaEvent.Logprob in the
// types of OpenAI's SDK for JavaScript).
func (p *Logprobs) Add(list, noBytes ir.Raw) {
	r := jsonr.NewReader(string(list))
	for r.OpenArray(); r.Element(); {
		if len(p.list) > 0 {
			p.list = append(p.list, ',')
		}
		others := jsonr.Reader{}
		p.list = appendToken(p.list, &r, &others, noBytes)
		lead := `,"top_logprobs":[`
		for others.OpenArray(); others.Element(); lead = `,` {
			p.list = append(appendToken(append(p.list, lead...), &others, nil, noBytes), '}')
		}
		if lead != `,` {
			p.list = append(p.list, lead...)
		}
		p.list = append(p.list, `]}`...)
	}
}

// appendToken appends the token at r, without the closing brace. It sets others to the token's
// top_logprobs. If others is nil, top_logprobs is ignored.
func appendToken(dst []byte, r, others *jsonr.Reader, bytes ir.Raw) []byte {
	var token ir.Escaped
	logprob := ir.Raw("null")
	for r.OpenObject(); r.Member(); {
		switch key, kind := r.Key(), r.Kind(); {
		case key == "token":
			token, _ = jsonr.Text(r.Value())
		case key == "logprob" && kind == jsonr.Number:
			logprob = r.Value()
		case key == "bytes" && kind == jsonr.Array:
			bytes = r.Value()
		case key == "top_logprobs" && kind == jsonr.Array && others != nil:
			*others = r.Here()
		}
	}
	dst = jsonw.AppendTextMember(dst, `{"token":`, token)
	dst = append(append(dst, `,"logprob":`...), logprob...)
	return jsonw.AppendFlat(append(dst, `,"bytes":`...), bytes)
}

// All returns all elements. The result is valid until the next Add or Begin.
func (p *Logprobs) All() []byte { return p.list }

// New returns the elements added since its last call. The result is valid until the next Add or
// Begin.
func (p *Logprobs) New() []byte {
	added := p.list[p.returned:]
	if p.returned > 0 && len(added) > 0 {
		added = added[1:] // without the comma
	}
	p.returned = len(p.list)
	return added
}
