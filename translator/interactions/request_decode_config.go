package interactions

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// config is the path of generation_config.
const config = "generation_config"

// config reads generation_config (GenerationConfig of @google/genai).
func (d *requestDecoder) config(r *jsonr.Reader) *ir.Error {
	if err := google.CheckObject(r, config); err != nil {
		return err
	}
	q := d.request
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "max_output_tokens":
			path := paths[ir.FieldMaxTokens]
			if q.MaxTokens, err = google.ReadWhole(r, path); err == nil && q.MaxTokens < 1 {
				err = google.Invalid(path, "The number of tokens must be positive.")
			}
		case "temperature":
			q.Temperature, err = google.ReadNumber(r, paths[ir.FieldTemperature])
		case "top_p":
			q.TopP, err = google.ReadNumber(r, paths[ir.FieldTopP])
		case "top_k":
			q.TopK, err = google.ReadNumber(r, paths[ir.FieldTopK])
		case "presence_penalty":
			q.Presence, err = penalty(r, ir.FieldPresence)
		case "frequency_penalty":
			q.Frequency, err = penalty(r, ir.FieldFrequency)
		case "seed":
			q.Seed, err = google.ReadNumber(r, paths[ir.FieldSeed])
		case "stop_sequences":
			q.Stop, err = d.Texts(r, paths[ir.FieldStop])
		case "thinking_level":
			q.Effort, err = google.ReadText(r, paths[ir.FieldEffort])
		case "thinking_summaries":
			err = d.summaries(r)
		case "tool_choice":
			err = d.choice(r, paths[ir.FieldToolChoice])
		default:
			d.lost.AddMember(config, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// penalty reads a penalty. For 0, the default, it returns "".
func penalty(r *jsonr.Reader, f ir.Field) (ir.Raw, *ir.Error) {
	v, err := google.ReadNumber(r, paths[f])
	if strings.Trim(string(v), "-0.") == "" {
		v = ""
	}
	return v, err
}

// summaries reads thinking_summaries: auto or none. The client sees thoughts only on request.
func (d *requestDecoder) summaries(r *jsonr.Reader) *ir.Error {
	q, path := d.request, paths[ir.FieldReasoningSummary]
	v := r.Value()
	switch word, _ := jsonr.Text(v); word {
	case "auto":
		q.HideThoughts, q.Adaptive, q.ReasoningSummary = false, true, "auto"
	case "none":
		q.HideThoughts, q.Adaptive, q.ReasoningSummary = true, false, ""
	default:
		return google.Wrong(path, "auto or none is expected.", v, "auto, none")
	}
	return nil
}

// choice reads tool_choice: a mode, or {"allowed_tools":{"mode","tools"}}.
func (d *requestDecoder) choice(r *jsonr.Reader, path string) (err *ir.Error) {
	c := ir.ToolChoice{}
	if r.Kind() == jsonr.String {
		return d.mode(&c, r.Value(), path)
	}
	if err = google.CheckObject(r, path); err != nil {
		return err
	}
	mode := ir.Raw(`"auto"`)
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Key() != "allowed_tools" {
			d.lost.AddMember(path, r)
			continue
		}
		if err = google.CheckObject(r, path+".allowed_tools"); err != nil {
			return err
		}
		for r.OpenObject(); err == nil && r.Member(); {
			switch r.Key() {
			case "mode":
				mode = r.Value()
			case "tools":
				if r.Kind() == jsonr.Null {
					continue
				}
				c.Allowed, err = d.Texts(r, path+".allowed_tools.tools")
			default:
				d.lost.AddMember(path+".allowed_tools", r)
			}
		}
		path += ".allowed_tools.mode"
	}
	if err != nil {
		return err
	}
	return d.mode(&c, mode, path)
}

// mode sets the request's choice to c, with a mode from a path.
func (d *requestDecoder) mode(c *ir.ToolChoice, mode ir.Raw, path string) *ir.Error {
	c.Mode = ir.ToolsAuto
	switch mode {
	case `"auto"`, "null":
	case `"validated"`: // only Google's APIs have a mode that makes all schemas strict
		if len(c.Allowed) == 0 {
			d.lost.Add(path)
		}
	case `"any"`:
		c.Mode = ir.ToolsRequired
	case `"none"`:
		c.Mode, c.Allowed = ir.ToolsNone, nil
	default:
		return google.Wrong(path, "one of auto, any, none and validated is expected.", mode,
			"auto, any, none, validated")
	}
	if c.Mode == ir.ToolsRequired && len(c.Allowed) == 1 {
		*c = ir.ToolChoice{Mode: ir.ToolsNamed, Name: c.Allowed[0]}
	}
	d.request.ToolChoice = *c
	return nil
}

// format sets the format of the answer, after the whole body has been read. response_format is a
// TextResponseFormat, a list of formats, or, in earlier versions of the API, the schema itself next to
// response_mime_type. The API has no flag for strict schemas: every schema is strict.
func (d *requestDecoder) format() *ir.Error {
	const mimeField = "response_mime_type"
	path := "response_format"
	r := d.formats
	switch r.Kind() {
	case jsonr.Missing:
		return d.mimeType(d.mime, mimeField, "", "")
	case jsonr.Array:
		if n, err := d.List(&r, path); err != nil {
			return err
		} else if n > 1 {
			return google.Invalid(path, "Only one format is supported here.")
		}
		if r.OpenArray(); !r.Element() {
			return d.mimeType(d.mime, mimeField, "", "")
		}
		path += "[0]"
	}
	if err := google.CheckObject(&r, path); err != nil {
		return err
	}
	whole, again := r, r
	switch kind, _ := jsonr.Text(typeReader(&again).Value()); kind {
	case "text":
		return d.textFormat(&r, path, mimeField)
	case "image", "audio", "video":
		return google.Invalid(path, "Only text is supported here.")
	}
	if d.mime == "" {
		d.mime = "application/json"
	}
	return d.mimeType(d.mime, mimeField, whole.Value(), path)
}

// textFormat reads a TextResponseFormat. Without a type of its own response_mime_type counts.
func (d *requestDecoder) textFormat(r *jsonr.Reader, path, mimeField string) (err *ir.Error) {
	var mime ir.Escaped
	var schema ir.Raw
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "type":
		case "mime_type":
			mime, err = google.ReadText(r, path+".mime_type")
		case "schema":
			if err = google.CheckObject(r, path+".schema"); err == nil {
				schema = r.Value()
			}
		default:
			d.lost.AddMember(path, r)
		}
	}
	switch {
	case err != nil:
		return err
	case mime == "":
		return d.mimeType(d.mime, mimeField, schema, path+".schema")
	case d.mime != "" && google.Simple(d.mime) != google.Simple(mime):
		d.lost.Add(mimeField)
	}
	return d.mimeType(mime, path+".mime_type", schema, path+".schema")
}

// mimeType sets the format for a type at a path, and its schema, "" for none.
func (d *requestDecoder) mimeType(mime ir.Escaped, path string, schema ir.Raw, at string) *ir.Error {
	switch google.Simple(mime) {
	case "", "text/plain":
		if schema != "" {
			return google.Invalid(at, "A schema requires the type \"application/json\".")
		}
		return nil
	case "application/json":
	default:
		return google.Invalid(path, "Only text/plain and application/json are supported here.")
	}
	f := &d.request.Format
	*f = ir.Format{Object: schema == "", Schema: schema, At: at, Bare: true}
	if schema != "" {
		f.Enforced, f.Strict = true, ir.True
	}
	return nil
}
