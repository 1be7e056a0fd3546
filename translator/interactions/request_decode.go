package interactions

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// requestDecoder reads one body of POST /v1beta/interactions (CreateModelInteraction of
// @google/genai 3.3.0). Of several members with one name the last counts.
type requestDecoder struct {
	google.Lists
	lost    *ir.Lost
	request *ir.Request

	instruction ir.Escaped // system_instruction
	hosted      bool       // a search or a fetch of the history was lost
	formats     jsonr.Reader
	mime        ir.Escaped // response_mime_type
}

// decode reads the whole body.
//
//go:noinline
func (d *requestDecoder) decode(body string) *ir.Error {
	r := jsonr.NewReader(body)
	if r.Kind() != jsonr.Object {
		return google.Invalid("", "The body must be a JSON object.")
	}
	q := d.request
	d.Items.Of = "steps, contents, functions and stop sequences"
	given := false
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		if r.Kind() == jsonr.Null {
			continue
		}
		switch key := r.Key(); key {
		case "model":
			q.Model, err = google.ReadText(&r, key)
			q.Model = ir.Escaped(strings.TrimPrefix(string(q.Model), google.ModelLead))
		case "input":
			given = true
			err = d.input(&r)
		case "system_instruction":
			d.instruction, err = google.ReadText(&r, key)
		case "stream":
			q.Stream, err = google.ReadFlag(&r, key)
		case "tools":
			if err = d.tools(&r); err == nil {
				q.UniqueTools(d.lost)
			}
		case "generation_config":
			err = d.config(&r)
		case "response_format":
			d.formats = r.Here()
		case "response_mime_type":
			d.mime, err = google.ReadText(&r, key)
		case "response_modalities":
			err = d.modalities(&r, key)
		case "service_tier":
			if q.ServiceTier, err = google.ReadText(&r, key); q.ServiceTier == "standard" {
				q.ServiceTier = "default"
			}
		case "store":
			var set bool
			if set, err = google.ReadFlag(&r, key); set {
				d.lost.Add(key)
			}
		case "safety_settings", "labels":
			q.Own = append(q.Own, ir.Member{Key: key, Value: r.Value()})
		default:
			err = d.other(&r)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case q.Model == "":
		return google.Invalid("model", "The model is missing.")
	case !given:
		return google.Invalid("input", "The input is missing.")
	}
	q.StreamUsage = q.Stream
	if !jsonr.IsBlank(d.instruction) {
		at := ir.Pos{Form: "system_instruction"}
		q.Messages = append([]ir.Message{{Role: ir.System, Content: []ir.Content{{Kind: ir.TextContent,
			At: at, Text: d.instruction}}}}, q.Messages...)
	}
	return d.format()
}

// other refuses a member that no model could make up for, and notes any other member as lost.
//
//go:noinline
func (d *requestDecoder) other(r *jsonr.Reader) *ir.Error {
	key, why := r.Key(), ""
	switch key {
	case "agent", "agent_config":
		why = "Agents run at Google and are not available here: send the name of a model as 'model'."
	case "previous_interaction_id":
		why = "Interactions are not stored here: send the whole conversation in 'input'. The endpoint's " +
			"option \"store\":\"on\" would store them."
	case "background":
		why = "Interactions do not run in the background here: send the request without 'background'."
	case "cached_content":
		why = "Cached content is stored by Google and not available here: send the content itself."
	case "continuation_token":
		why = "Continuation tokens are not supported here: send the conversation without the token."
	case "environment":
		why = "Environments run at Google and are not available here."
	}
	v := r.Value()
	if why != "" && jsonr.Asks(v) {
		return google.Invalid(key, why)
	}
	if end := d.lost.Member(key, v); end != "" {
		d.lost.Add(end[1:])
	}
	return nil
}

// modalities refuses answers other than text.
func (d *requestDecoder) modalities(r *jsonr.Reader, path string) *ir.Error {
	list, err := d.Texts(r, path)
	for _, word := range list {
		if !strings.EqualFold(string(word), "text") {
			return google.Invalid(path, "Only text is supported here.")
		}
	}
	return err
}
