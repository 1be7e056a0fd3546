package upstream

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
	"edgelingua/worker/endpoint"
)

// EmbeddingsOf returns the upstream's form of embeddings, or nil if it has none. At Vertex AI each
// model has a form of its own (docs.cloud.google.com/vertex-ai/generative-ai/docs/embeddings).
func EmbeddingsOf(u *endpoint.Upstream) *ir.Embeddings {
	switch {
	case u.IsVertex():
		return nil
	case u.IsCloudflareAI():
		return &bound
	}
	return u.API.Embeddings
}

// NoEmbeddings returns the error for a request for embeddings if none of the upstreams has any. u is
// the first of them.
func NoEmbeddings(u *endpoint.Upstream) *ir.Error {
	name := u.API.Title
	if u.IsVertex() {
		name = "Vertex AI"
	}
	return &ir.Error{Kind: ir.InvalidRequest, Path: "model",
		Message: "The upstream of this model speaks " + name + ", which has no embeddings here. Send the " +
			"request with a model of an upstream with OpenAI's or Google's own API."}
}

// bound is the form of embeddings of Cloudflare's own models through the binding AI
// (https://developers.cloudflare.com/workers-ai/models/bge-m3). They have no option for the number of
// dimensions, and tokens are not counted. The REST API has OpenAI's form.
var bound = ir.Embeddings{Upstream: binding{}}

type binding struct{}

// mostBound is the most texts of a request: "maxItems" in the schema of the BGE models.
const mostBound = 100

// EmbedPath returns a path, which the binding ignores.
func (binding) EmbedPath(string, bool) string { return "/embeddings" }

// AppendEmbed appends the model and its input. The host takes the model out (worker/workerd/ai.mjs).
func (binding) AppendEmbed(dst []byte, r *ir.EmbedRequest, t *ir.Target, lost *ir.Lost) ([]byte, *ir.Error) {
	err := r.OnlyTexts(mostBound, "Cloudflare")
	if err == nil {
		err = r.LoseTask(t, lost)
	}
	if err == nil && r.Dimensions > 0 {
		err = &ir.Error{Kind: ir.InvalidRequest, Path: r.DimensionsPath,
			Message: "Cloudflare's models have a fixed number of dimensions: leave this out."}
	}
	if err != nil {
		return dst, err
	}
	dst = jsonw.AppendTextMember(dst, `{"model":`, r.Model)
	dst = openai.AppendTexts(append(dst, `,"text":[`...), r.Inputs)
	return append(dst, `]}`...), nil
}

// DecodeVectors reads {"shape":[2,1024],"data":[[...],[...]]}.
func (b binding) DecodeVectors(body string, n int) (v ir.Vectors, ok bool) {
	v = ir.Vectors{List: make([]ir.Raw, 0, n), Input: -1}
	r := jsonr.NewReader(body)
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "data":
			for r.OpenArray(); r.Element(); {
				v.List = append(v.List, r.Value())
			}
		case "usage":
			v.Input = b.EmbedTokens(string(r.Value()))
		}
	}
	return v, len(v.List) == n
}

// EmbedTokens reads a count, if Cloudflare ever sends one, in OpenAI's form.
func (binding) EmbedTokens(usage string) int64 { return openai.Embeddings.Upstream.EmbedTokens(usage) }

// Embeds reports whether a model's name looks like the name of a model for embeddings.
func Embeds(model string) bool {
	model = strings.ToLower(model)
	for _, part := range [...]string{"embed", "bge-", "voyage-", "e5-", "gte-", "minilm"} {
		if strings.Contains(model, part) {
			return true
		}
	}
	return false
}

// OtherKind returns err with advice if an upstream refuses a model that seems to be of the other
// kind: a model for embeddings asked for an answer or, with embeds, a model asked for embeddings.
func OtherKind(err *ir.Error, model string, embeds bool) *ir.Error {
	status := err.HTTPStatus()
	if embeds == Embeds(model) || status != 400 && status != 403 && status != 404 {
		return err
	}
	told := *err
	told.Message += " " + model[:min(len(model), endpoint.MaxModel)]
	if embeds {
		told.Message += " may be no model for embeddings: ask for one, such as text-embedding-3-small or " +
			"gemini-embedding-001."
	} else {
		told.Message += " seems to be a model for embeddings: send its texts to /v1/embeddings or " +
			":batchEmbedContents."
	}
	return &told
}
