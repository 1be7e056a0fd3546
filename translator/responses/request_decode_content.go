package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// parts appends the blocks of a content or an output: a string, or an array of parts. at is the
// position of a part in it; its last index is ignored. Blank text is left out, because Anthropic
// rejects it (FAULTS 84).
func (d *requestDecoder) parts(list []ir.Content, v ir.Raw, at ir.Pos) ([]ir.Content, *ir.Error) {
	switch kind := jsonr.KindOf(v); kind {
	case jsonr.String:
		return appendText(list, v, at.List()), nil
	case jsonr.Array:
	default:
		return nil, openai.WrongType(at.List().String(), "one of a string or array of objects", kind)
	}
	r := jsonr.NewReader(string(v))
	n := 0
	for r.OpenArray(); r.Element(); n++ {
		c, err := d.part(&r, at.Element(n))
		if err != nil {
			return nil, err
		}
		if c.Kind != ir.TextContent || !jsonr.IsBlank(c.Text) {
			list = append(list, c)
		}
	}
	return list, nil
}

func appendText(list []ir.Content, v ir.Raw, at ir.Pos) []ir.Content {
	if text, _ := jsonr.Text(v); !jsonr.IsBlank(text) {
		list = append(list, ir.Content{Kind: ir.TextContent, At: at, Text: text})
	}
	return list
}

// part reads one content part (API reference, "input", content). It also accepts text and
// image_url, the names in Chat Completions (FAULTS 85). A part unknown to the hub passes through
// unchanged.
func (d *requestDecoder) part(r *jsonr.Reader, at ir.Pos) (ir.Content, *ir.Error) {
	c := ir.Content{At: at}
	if r.Kind() != jsonr.Object {
		return c, openai.WrongType(at.String(), "an object", r.Kind())
	}
	whole, more := *r, false
	var kind ir.Escaped
	var text, refusal, image, detail, id, data, url, audio, annotations, encrypted ir.Raw
	for r.OpenObject(); r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "text":
			text = r.Value()
		case "refusal":
			refusal = r.Value()
		case "image_url":
			image = r.Value()
		case "detail":
			detail = r.Value()
		case "file_id":
			id = r.Value()
		case "file_data":
			data = r.Value()
		case "file_url":
			url = r.Value()
		case "input_audio":
			audio = r.Value()
		case "filename":
			c.Source.Title, _ = jsonr.Text(r.Value())
		case "annotations":
			annotations = r.Value()
		case "encrypted_content":
			encrypted = r.Value()
		default:
			more = true
		}
	}
	var err *ir.Error
	switch kind {
	case "input_text", "output_text", "text", "summary_text":
		c.Kind = ir.TextContent
		c.Text, err = openai.Required(text, at, ".text")
		if jsonr.Asks(annotations) {
			c.Raw = annotations
		}
	case "encrypted_content":
		if c.Text, err = openai.Required(encrypted, at, ".encrypted_content"); isSealed(c.Text) {
			c.Kind, c.Text, c.Raw = ir.OpaqueContent, "", whole.Value()
		} else {
			c.Kind = ir.TextContent
		}
	case "reasoning_text":
		c.Kind = ir.ReasoningContent
		c.Text, err = openai.Required(text, at, ".text")
	case "refusal":
		c.Kind = ir.RefusalContent
		c.Text, err = openai.Required(refusal, at, ".refusal")
	case "input_image", "image_url", "computer_screenshot":
		c.Kind = ir.ImageContent
		c.Source.Detail, _ = jsonr.Text(detail)
		err = readImage(&c, image, id)
	case "input_file":
		c.Kind = ir.DocumentContent
		c.Source.Detail, _ = jsonr.Text(detail)
		err = readFile(&c, data, url, id)
	case "input_audio":
		err = openai.ReadAudio(&c, audio)
	case "":
		err = openai.Missing(at.Path(".type"))
	default:
		c.Kind, c.Raw = ir.OpaqueContent, whole.Value()
	}
	if more && c.Kind != ir.OpaqueContent && err == nil {
		d.losePart(whole, at)
	}
	return c, err
}

// isSealed reports whether encrypted_content was encrypted by OpenAI: all texts encrypted by OpenAI
// begin like this. OpenAI's models encrypt text for another agent (openai/codex#26210), so Codex
// puts any model's text for an agent into a part of this type, encrypted or not.
func isSealed(text ir.Escaped) bool { return strings.HasPrefix(string(text), "gAAAAA") }

// losePart records the members of a part that the function part ignores, if they ask for something.
// Two members are not losses: logprobs and parsed belong to an answer sent back by the client
// (OpenAI's SDK does).
func (d *requestDecoder) losePart(r jsonr.Reader, at ir.Pos) {
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "type", "text", "refusal", "image_url", "detail", "file_id", "file_data", "file_url",
			"filename", "input_audio",
			"annotations", "encrypted_content":
		case "logprobs", "parsed":
		default:
			d.lost.AddMemberAt(at, "", &r)
		}
	}
}

// readImage reads "image_url": a URL, or, as in Chat Completions, an object with a URL. id is the
// part's file_id.
func readImage(c *ir.Content, v, id ir.Raw) *ir.Error {
	const field = ".image_url"
	if v == "" && id != "" {
		return openai.ReadFileID(c, id, ".file_id")
	}
	r := jsonr.NewReader(string(v))
	if r.Kind() == jsonr.Object {
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "url":
				v = r.Value()
			case "detail":
				c.Source.Detail, _ = jsonr.Text(r.Value())
			}
		}
	}
	url, err := openai.Required(v, c.At, field)
	if err == nil && !openai.ReadURL(&c.Source, url) {
		err = openai.NotURL(c.At.Path(field))
	}
	return err
}

// readFile reads a file: file_data, file_url, or id, the part's file_id.
func readFile(c *ir.Content, data, url, id ir.Raw) *ir.Error {
	if data == "" && url == "" && id != "" {
		return openai.ReadFileID(c, id, ".file_id")
	}
	if data == "" && url != "" {
		text, err := openai.Required(url, c.At, ".file_url")
		if err == nil && !openai.ReadURL(&c.Source, text) {
			err = openai.NotURL(c.At.Path(".file_url"))
		}
		return err
	}
	text, err := openai.Required(data, c.At, ".file_data")
	if err == nil && !openai.ReadFile(&c.Source, text) {
		err = openai.NotURL(c.At.Path(".file_data"))
	}
	return err
}
