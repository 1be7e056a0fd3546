package gemini

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Client is the Gemini API on the client's side. It implements ir.Client and ir.Counter.
type Client struct{}

var (
	_ ir.Client  = Client{}
	_ ir.Counter = Client{}
)

// Shows reports whether an answer has a form for blocks of a kind. Searches have a form in
// groundingMetadata, and a refusal is text.
func (Client) Shows(b ir.BlockKind) bool { return b < ir.HostedBlock }

// DecodeRequest reads the body of generateContent or streamGenerateContent, and the model in its
// path. The result has views of body.
func (c Client) DecodeRequest(path, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	d := requestDecoder{lost: lost, request: &ir.Request{API: &API, Model: jsonw.Escape(c.Model(path, body)),
		HideThoughts: true}}
	d.request.Stream, _ = c.Streams(path, body)
	d.request.StreamUsage = d.request.Stream
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// checkPath refuses a stream as a JSON array, Google's form if the query does not have alt=sse.
func checkPath(path string) *ir.Error {
	bare, query, _ := strings.Cut(path, "?")
	if !strings.HasSuffix(bare, streamMethod) {
		return nil
	}
	for query != "" {
		var one string
		if one, query, _ = strings.Cut(query, "&"); one == "alt=sse" || one == "$alt=sse" {
			return nil
		}
	}
	return google.Invalid("alt",
		"Streams are sent only as events, not as a JSON array: add alt=sse to the query.")
}

// streamMethod ends the path of a request for a stream.
const streamMethod = ":streamGenerateContent"

// Model returns the model in a path: a plain name, a name after "models/" as in lists, or the end
// of Vertex AI's long form.
func (Client) Model(path, _ string) string {
	path, _, _ = strings.Cut(path, "?")
	_, model, _ := API.Route(path)
	if i := strings.LastIndex(model, "/"+google.ModelLead); i >= 0 && strings.Contains(model[:i],
		"publishers/") {
		return model[i+len("/"+google.ModelLead):]
	}
	return strings.TrimPrefix(model, google.ModelLead)
}

// Streams reports whether a path asks for a stream. counted is always true: answers always have
// token counts.
func (Client) Streams(path, _ string) (streams, counted bool) {
	path, _, _ = strings.Cut(path, "?")
	return strings.HasSuffix(path, streamMethod), true
}

// HoldsForeign reports whether a body has a string with the beginning of an envelope in base64.
func (Client) HoldsForeign(body string) bool { return strings.Contains(body, `"`+google.SealedLead) }

// DecodeCount reads the body of countTokens: only the contents, or a whole request as
// generateContentRequest.
func (c Client) DecodeCount(path, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{API: &API, Model: jsonw.Escape(c.Model(path,
		body))}, counts: true}
	if whole, _, _ := jsonr.LastMember(body, "generateContentRequest"); jsonr.KindOf(whole) == jsonr.Object {
		body = string(whole)
	} else if whole, _, _ := jsonr.LastMember(body,
		"generate_content_request"); jsonr.KindOf(whole) == jsonr.Object {
		body = string(whole)
	}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// AppendCount appends the answer to countTokens (Gemini API, "models.countTokens"). It has no
// second number, since the API edits no histories.
func (Client) AppendCount(dst []byte, tokens, _ int64) []byte {
	dst = jsonw.AppendIntMember(dst, `{"totalTokens":`, tokens)
	dst = jsonw.AppendIntMember(dst, `,"promptTokensDetails":[{"modality":"TEXT","tokenCount":`, tokens)
	return append(dst, `}]}`...)
}

// paths are the paths of fields in a body.
var paths = [ir.Fields]string{
	ir.FieldMessages:          "contents",
	ir.FieldMaxTokens:         "generationConfig.maxOutputTokens",
	ir.FieldTemperature:       "generationConfig.temperature",
	ir.FieldTopP:              "generationConfig.topP",
	ir.FieldTopK:              "generationConfig.topK",
	ir.FieldPresence:          "generationConfig.presencePenalty",
	ir.FieldFrequency:         "generationConfig.frequencyPenalty",
	ir.FieldSeed:              "generationConfig.seed",
	ir.FieldStop:              "generationConfig.stopSequences",
	ir.FieldTopLogprobs:       "generationConfig.logprobs",
	ir.FieldEffort:            "generationConfig.thinkingConfig",
	ir.FieldReasoningSummary:  "generationConfig.thinkingConfig.includeThoughts",
	ir.FieldServiceTier:       "serviceTier",
	ir.FieldToolChoice:        "toolConfig.functionCallingConfig",
	ir.FieldFormat:            "generationConfig.responseMimeType",
	ir.FieldFormatDescription: "generationConfig.responseSchema.description",
}

// FieldPath returns the path of a field.
func (Client) FieldPath(_ *ir.Request, f ir.Field) string { return paths[f] }
