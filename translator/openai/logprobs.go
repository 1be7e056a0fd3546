package openai

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Logprobs are how likely the tokens of a text are, as elements of a list:
// {"token","logprob","bytes","top_logprobs"}, which both APIs have alike. They are kept until the
// text ends.
type Logprobs struct {
	list []byte // the elements, with commas between them
	told int    // where in list those begin that New has not returned
}

// Begin drops what is kept, for another text.
func (p *Logprobs) Begin() { p.list, p.told = p.list[:0], 0 }

// Add keeps the elements of a list of either API. noBytes stands for the bytes of a token without
// any, as in the deltas of some servers of Responses: null in Chat Completions, an empty list in
// Responses, where the member is a list.
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

// appendToken appends the token that r stands before, without the closing brace. others is set to
// the likeliest tokens in its place.
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

// All returns all elements.
func (p *Logprobs) All() []byte { return p.list }

// New returns the elements that it has not returned before.
func (p *Logprobs) New() []byte {
	added := p.list[p.told:]
	if p.told > 0 && len(added) > 0 {
		added = added[1:] // without the comma
	}
	p.told = len(p.list)
	return added
}
