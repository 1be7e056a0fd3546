package interactions

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// contents reads the content of a step: a list, or a text in earlier versions of the API.
func (d *requestDecoder) contents(r *jsonr.Reader, role ir.Role, at ir.Pos) *ir.Error {
	switch r.Kind() {
	case jsonr.Missing:
		return nil
	case jsonr.String:
		text, _ := jsonr.Text(r.Value())
		d.add(role, &ir.Content{Kind: ir.TextContent, At: at, Text: text})
		return nil
	}
	if at.Form += ".content[]"; at.Form != contentForm { // a step that is not in a list
		return google.Invalid("input", "A step must be in a list.")
	}
	if _, err := d.ListAt(r, at); err != nil {
		return err
	}
	n := 0
	for r.OpenArray(); r.Element(); n++ {
		if err := d.content(r, role, at.Element(n)); err != nil {
			return err
		}
	}
	return nil
}

// content adds the next value of r, a content of a role.
func (d *requestDecoder) content(r *jsonr.Reader, role ir.Role, at ir.Pos) *ir.Error {
	c, err := d.part(r, at)
	if err != nil {
		return err
	}
	// a streamed text comes back in pieces: @google/adk 2.0 stores each delta as a content of its own
	if n := len(d.request.Messages); role == ir.Assistant && at.Index[1] > 0 && c.Kind == ir.TextContent {
		before := d.request.Messages[n-1].Content
		c.Continues = before[len(before)-1].Kind == ir.TextContent
	}
	d.add(role, &c)
	return nil
}

// part reads the next value of r, a content (Content of @google/genai).
func (d *requestDecoder) part(r *jsonr.Reader, at ir.Pos) (c ir.Content, err *ir.Error) {
	c.At = at
	if err = google.CheckObjectAt(r, at, ""); err != nil {
		return c, err
	}
	whole := *r
	var kind, mime, data, uri, detail ir.Escaped
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "type":
			kind, err = google.ReadWordAt(r, at, ".type")
		case "text":
			c.Text, err = google.ReadTextAt(r, at, ".text")
		case "mime_type":
			mime, err = google.ReadWordAt(r, at, ".mime_type")
		case "data":
			data, err = google.ReadTextAt(r, at, ".data")
		case "uri":
			uri, err = google.ReadWordAt(r, at, ".uri")
		case "resolution":
			detail, err = google.ReadWordAt(r, at, ".resolution")
		case "annotations": // the client cites what the model has cited
			r.Value()
		default:
			d.lost.AddMemberAt(at, "", r)
		}
	}
	switch {
	case err != nil:
		return c, err
	case kind == "text":
		c.Kind = ir.TextContent
		return c, nil
	case kind == "":
		return c, google.Invalid(at.Path(".type"), "The type of the content is missing.")
	case kind != "image" && kind != "audio" && kind != "video" && kind != "document":
		c.Kind, c.Raw = ir.OpaqueContent, whole.Value()
		return c, nil
	case data == "" && uri == "":
		return c, google.Invalid(at.Path(".data"), "The content has neither data nor a URI.")
	}
	if mime == "" && data != "" {
		return c, google.Invalid(at.Path(".mime_type"), "The data must have a media type.")
	}
	if c.Text = ""; data != "" {
		google.SetInline(&c, mime, data, "")
	} else {
		if mime == "" && kind == "video" {
			if mime = google.KindOfURL(string(uri)); mime == "" {
				mime = "video/mp4"
			}
		}
		google.SetURL(&c, mime, uri, "", ".uri")
	}
	if c.Kind == ir.ImageContent && (detail == "low" || detail == "high") {
		c.Source.Detail, c.Source.DetailField = detail, ".resolution"
	} else if detail != "" {
		d.lost.Add(at.Path(".resolution"))
	}
	return c, nil
}
