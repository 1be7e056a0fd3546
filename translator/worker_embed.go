package translator

import (
	"strings"

	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/passing"
)

// Embedding is a client's request for embeddings, translated for an upstream with another form. It
// views the client's body.
type Embedding struct {
	request     *ir.EmbedRequest
	client      ir.EmbedClient
	clientModel ir.Escaped

	Lost ir.Lost // the fields that the upstream does not accept
}

// DecodeEmbed reads a client's body, valid or not, and the path of the request. The error is the
// client's fault.
func DecodeEmbed(client *ir.API, path string, body []byte) (*Embedding, error) {
	body, wrong := passing.Mend(body)
	if wrong != nil {
		return nil, wrong
	}
	x := &Embedding{client: client.Embeddings.Client}
	r, err := x.client.DecodeEmbed(path, view(body), &x.Lost)
	if err != nil {
		return nil, err
	}
	x.request, x.clientModel = r, r.Model
	return x, nil
}

// AppendRequest appends the body for an upstream that has the model and accepts t. After an error it
// returns dst unchanged.
func (x *Embedding) AppendRequest(
	dst []byte, up ir.EmbedUpstream, model string, t *ir.Target,
) ([]byte, error) {
	x.request.Model = jsonw.Escape(model)
	dst, err := up.AppendEmbed(dst, x.request, t, &x.Lost)
	return dst, err.Err()
}

// AppendAnswer appends the client's answer for an upstream's whole answer. input is the upstream's
// count of the tokens; negative: the upstream has not counted, and the answer has an estimate.
func (x *Embedding) AppendAnswer(dst, body []byte, up ir.EmbedUpstream) (out []byte, input int64, err error) {
	var v ir.Vectors
	ok := jsonr.Check(view(body)) == nil
	if ok {
		v, ok = up.DecodeVectors(view(body), len(x.request.Inputs))
	}
	if input = v.Input; ok {
		if v.Input < 0 {
			v.Input = x.InputTokens()
		}
		x.request.Model = x.clientModel
		out, ok = x.client.AppendVectors(dst, x.request, &v)
	}
	if !ok {
		return dst, input, &ir.Error{Kind: ir.Unavailable,
			Message: "The upstream's embeddings can't be read: the answer has not one list of numbers for " +
				"each input."}
	}
	return out, input, nil
}

// InputTokens estimates the tokens of the inputs.
func (x *Embedding) InputTokens() int64 {
	return x.request.Tokens + count.Texts(string(x.clientModel), x.request.Inputs)
}

// PassEmbed returns a client's body for an upstream with the client's form: with the upstream's name
// of the model, to, instead of the client's, from. The error is the client's fault.
func PassEmbed(client *ir.API, body []byte, from, to string) ([]byte, error) {
	if err := passing.Check(body); err != nil {
		return nil, err
	}
	renamed, err := client.Embeddings.Client.RenameModel(view(body), from, to)
	return []byte(renamed), err.Err()
}

// maxUsage limits the buffered bytes of an answer's usage.
const maxUsage = 1 << 10

// EmbedTap reads the tokens of an answer with embeddings that passes. It buffers only the member
// "usage" or "usageMetadata", which comes after up to 100 MB of numbers.
type EmbedTap struct {
	form     ir.EmbedUpstream
	depth    int
	quoted   bool   // the next byte is inside a string
	escaped  bool   // the last byte began an escape
	captures bool   // the next byte belongs to usage
	member   []byte // of the whole answer: the text since the last comma
	usage    []byte
}

// NewEmbedTap returns an EmbedTap for the answer of an upstream.
func NewEmbedTap(form ir.EmbedUpstream) *EmbedTap { return &EmbedTap{form: form} }

// Push reads the next chunk, cut anywhere.
func (t *EmbedTap) Push(chunk []byte) {
	for _, c := range chunk {
		if t.captures && len(t.usage) < maxUsage {
			t.usage = append(t.usage, c)
		}
		if t.depth == 1 && len(t.member) < len(`"usageMetadata":`) && c > ' ' {
			t.member = append(t.member, c)
		}
		switch {
		case t.escaped:
			t.escaped = false
		case t.quoted:
			t.escaped, t.quoted = c == '\\', c != '"'
		case c == '"':
			t.quoted = true
		case c == '{' || c == '[':
			if t.depth++; t.depth == 2 && strings.HasPrefix(string(jsonw.View(t.member)), `"usage`) {
				t.captures, t.usage = true, append(t.usage[:0], c)
			}
		case c == '}' || c == ']':
			if t.depth--; t.depth < 2 {
				t.captures = false
			}
		case c == ',' && t.depth == 1:
			t.member = t.member[:0]
		}
	}
}

// Input returns the tokens of the inputs; negative: unknown.
func (t *EmbedTap) Input() int64 { return t.form.EmbedTokens(view(t.usage)) }
