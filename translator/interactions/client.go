package interactions

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Client is the Interactions API on the client's side. It implements ir.Client.
type Client struct{}

var _ ir.Client = Client{}

// Shows reports whether an answer has a form for blocks of a kind. A search is a pair of steps, and a
// refusal is text.
func (Client) Shows(b ir.BlockKind) bool { return b < ir.HostedBlock }

// DecodeRequest reads the body of POST /v1beta/interactions. The result has views of body.
func (Client) DecodeRequest(_, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{API: &API, HideThoughts: true}}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// Model returns the model named in a body.
func (Client) Model(_, body string) string {
	return strings.TrimPrefix(jsonr.LastText(body, "model"), google.ModelLead)
}

// Streams reports whether a body asks for a stream. counted is always true: answers always have token
// counts.
func (Client) Streams(_, body string) (streams, counted bool) {
	flag, _, ok := jsonr.LastMember(body, "stream")
	return !ok || flag != "" && jsonr.Asks(flag), true
}

// HoldsForeign reports whether a body has a string with the beginning of an envelope in base64.
func (Client) HoldsForeign(body string) bool { return strings.Contains(body, `"`+google.SealedLead) }

// NewEncoder returns an encoder of one streamed answer. model is the model's name in the answer.
func (Client) NewEncoder(r *ir.Request, model ir.Escaped) ir.Encoder {
	return &encoder{answerWriter: answerWriter{request: r, model: model}}
}

// NewPlainEncoder returns an encoder of one plain answer, appended to dst. model is the model's name in
// the answer.
func (Client) NewPlainEncoder(r *ir.Request, model ir.Escaped, dst []byte) ir.PlainEncoder {
	return ir.NewPlainEncoder(dst, newBody(r, model))
}

// paths are the paths of fields in a body. top_k and the penalties are members that @google/adk 2.0
// sends, although @google/genai lacks them.
var paths = [ir.Fields]string{
	ir.FieldMessages:          "input",
	ir.FieldMaxTokens:         config + ".max_output_tokens",
	ir.FieldTemperature:       config + ".temperature",
	ir.FieldTopP:              config + ".top_p",
	ir.FieldTopK:              config + ".top_k",
	ir.FieldPresence:          config + ".presence_penalty",
	ir.FieldFrequency:         config + ".frequency_penalty",
	ir.FieldSeed:              config + ".seed",
	ir.FieldStop:              config + ".stop_sequences",
	ir.FieldEffort:            config + ".thinking_level",
	ir.FieldReasoningSummary:  config + ".thinking_summaries",
	ir.FieldServiceTier:       "service_tier",
	ir.FieldToolChoice:        config + ".tool_choice",
	ir.FieldFormat:            "response_format",
	ir.FieldFormatDescription: "response_format.schema.description",
}

// FieldPath returns the path of a field.
func (Client) FieldPath(_ *ir.Request, f ir.Field) string { return paths[f] }
