package vendors

import (
	"maps"
	"net/http"
	"testing"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/wasmtest/corpus"
	"edgelingua/wasmtest/vendors/shape"
)

// server is a vendor's server with a model. Its double judges what the translator sends there.
type server struct {
	protocol, host, model string
	options               Options
}

func (s *server) String() string { return s.protocol + " " + s.host + " " + s.model }

const (
	claudes = "api.anthropic.com"
	openAIs = "api.openai.com"
	googles = "generativelanguage.googleapis.com"
)

// servers has the servers that the property test sends requests to.
var servers = []server{
	{"anthropic", claudes, "claude-opus-5-5", Options{}},
	{"anthropic", claudes, "claude-opus-5", Options{}},
	{"anthropic", claudes, "claude-opus-4-7", Options{}},
	{"anthropic", claudes, "claude-sonnet-4-5", Options{}},
	{"anthropic", claudes, "claude-fable-5-1", Options{}},
	{"chat", openAIs, "gpt-5.5", Options{OpenAI: true}},
	{"chat", openAIs, "gpt-4.1", Options{OpenAI: true}},
	{"chat", "vllm.internal:8000", "Qwen/Qwen3.5-27B", Options{Schemas: true}},
	{"chat", "vllm.internal:8000", "mistralai/Devstral-2-123B", Options{Schemas: true}},
	{"chat", "api.deepseek.com", "deepseek-v4-pro", Options{Reasoning: "reasoning_content", Schemas: true}},
	{"chat", "openrouter.ai", "anthropic/claude-opus-4.6",
		Options{Reasoning: "reasoning_details", Schemas: true}},
	{"chat", atMistral, "mistral-large-latest", Options{Host: atMistral, Schemas: true}},
	{"chat", atXAI, "grok-4-fast-reasoning", Options{Host: atXAI, Schemas: true}},
	{"chat", atMoonshot, "kimi-k2.6", Options{Host: atMoonshot, Schemas: true}},
	{"chat", atMoonshot, "kimi-k3", Options{Host: atMoonshot, Schemas: true}},
	{"chat", atGroq, "llama-3.3-70b-versatile", Options{Host: atGroq, Schemas: true}},
	{"chat", atGroq, "openai/gpt-oss-120b", Options{Host: atGroq, Schemas: true}},
	{"responses", openAIs, "gpt-5.5", Options{}},
	{"responses", openAIs, "gpt-4.1", Options{}},
	{"responses", atXAI, "grok-4.6", Options{Host: atXAI}},
	{"responses", atXAI, "grok-4-fast-reasoning", Options{Host: atXAI}},
	{"gemini", googles, "gemini-3.6-pro", Options{}},
	{"gemini", googles, "gemini-2.5-pro", Options{}},
	{"gemini", "aiplatform.googleapis.com", "gemini-3.6-pro", Options{Vertex: true}},
	{"interactions", googles, "gemini-3.6-pro", Options{}},
}

// clientRequest is a request of a client.
type clientRequest struct {
	name   string // for messages
	client string // its protocol
	path   string
	body   []byte
}

// outcome is what becomes of a request.
type outcome struct {
	refused *ir.Error // by the translator
	lost    string    // the value of x-edgelingua-lost
	body    []byte    // the upstream's body, if the request was sent
	judged  error     // the double's refusal
}

// send translates a request for the server, and has the double judge the result.
func (s *server) send(t *testing.T, r *clientRequest) (o outcome) {
	t.Helper()
	pair, _ := translator.Lookup(r.client, s.protocol)
	x, err := pair.Decode(r.path, r.body)
	if err != nil {
		return outcome{refused: ir.AsError(err)}
	}
	x.Request.Model, x.Request.Received = jsonw.Escape(s.model), corpus.Received
	if o.body, err = x.AppendRequest(nil, pair.Target(s.host, s.model)); err != nil {
		return outcome{refused: ir.AsError(err), lost: x.LostHeader()}
	}
	header := http.Header{}
	for _, h := range append(pair.Upstream.Headers, x.Headers()...) {
		header.Set(h.Name, h.Value)
	}
	v := New(s.protocol, s.options, nil)
	o.lost = x.LostHeader()
	if !believe(v, x.Request.Messages) {
		return o // the client has copied a signature to another text, and only the vendor can know
	}
	o.judged = v.Check(&Request{pair.Path(s.model, x.Request.Stream), header, o.body})
	return o
}

// judge has the double judge a body as if a client of the server's protocol had sent it, with all
// betas or with none. more is what else that client sends or has received.
func (s *server) judge(body any, betas bool, more own) error {
	header := http.Header{}
	for _, h := range translator.API(s.protocol).Headers {
		header.Set(h.Name, h.Value)
	}
	if betas {
		for _, one := range gated {
			header.Add("Anthropic-Beta", one.beta)
		}
	}
	maps.Copy(header, more.header)
	v := New(s.protocol, s.options, nil)
	for _, turn := range more.issued {
		v.issued.note(turn)
	}
	path := translator.API(s.protocol).Upstream.Path(s.model, false)
	return v.Check(&Request{path, header, []byte(encode(body))})
}

// believe makes the double know the reasoning that its own vendor signed. The translator must send
// no other reasoning. The result is false if two texts have the same signature.
func believe(v *Vendor, messages []ir.Message) bool {
	for i := range messages {
		for k := range messages[i].Content {
			c := &messages[i].Content[k]
			if protocols[c.Origin] == nil || protocols[c.Origin] != v.protocol || c.Signature == "" {
				continue
			}
			signature, signed := jsonw.Unescape(c.Signature), jsonw.Unescape(c.Text)
			if c.ItemID != "" {
				signed = jsonw.Unescape(c.ItemID)
			}
			if before, ok := v.issued.blobs[signature]; ok && before != signed {
				return false
			}
			v.issued.blobs[signature] = signed
			details, err := shape.Decode([]byte(signature))
			if err != nil {
				continue
			}
			walk(details, func(detail object) { // of OpenRouter
				v.issued.blobs[blobOf(detail)] = text(detail, "text")
			})
		}
	}
	return true
}
