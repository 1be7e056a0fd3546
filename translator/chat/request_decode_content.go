package chat

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// contentLen returns how many blocks "content" becomes at most.
func contentLen(v ir.Raw) int {
	if jsonr.KindOf(v) == jsonr.String {
		return 1
	}
	return jsonr.NewReader(string(v)).Len()
}

// content appends the blocks of "content", a string, an array of parts or null, of the message with
// the given index. Blank text is left out, since Anthropic rejects blank text (FAULTS 84).
func (d *requestDecoder) content(list []ir.Content, v ir.Raw, message ir.Index) ([]ir.Content, *ir.Error) {
	at := ir.Pos{Form: "messages[].content[]", Index: message}
	switch kind := jsonr.KindOf(v); kind {
	case jsonr.Missing, jsonr.Null:
		return list, nil
	case jsonr.String:
		if text, _ := jsonr.Text(v); !jsonr.IsBlank(text) {
			list = append(list, ir.Content{Kind: ir.TextContent, At: at.List(), Text: text})
		}
		return list, d.items.Meet(1)
	case jsonr.Array:
	default:
		return nil, openai.WrongType(at.List().String(), "one of a string or array of objects", kind)
	}
	r := jsonr.NewReader(string(v))
	if _, err := d.items.Count(&r); err != nil {
		return nil, err
	}
	n := 0
	for r.OpenArray(); r.Element(); n++ {
		c, err := d.part(&r, at.Element(n))
		if err != nil {
			return nil, err
		}
		if c.Kind == ir.TextContent && jsonr.IsBlank(c.Text) {
			continue
		}
		list = append(list, c)
	}
	return list, nil
}

// part reads one content part (API reference, "Chat Completion Content Part"). The Responses API's
// names input_text, output_text and input_image are accepted too: Responses clients that use the
// wrong path send them (FAULTS 85). If the hub has no name for a part, its raw JSON is stored.
//
//go:noinline
func (d *requestDecoder) part(r *jsonr.Reader, at ir.Pos) (ir.Content, *ir.Error) {
	c := ir.Content{At: at}
	if r.Kind() != jsonr.Object {
		return c, openai.WrongType(at.String(), "an object", r.Kind())
	}
	whole, more := *r, false
	var kind ir.Escaped
	var text, refusal, image, file, detail, audio, video ir.Raw
	for r.OpenObject(); r.Member(); {
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
		case "file":
			file = r.Value()
		case "input_audio":
			audio = r.Value()
		case "video_url":
			video = r.Value()
		case "cache_control":
			c.Cache = ir.Breakpoint(r)
		default:
			more = true
		}
	}
	var err *ir.Error
	switch kind {
	case "text", "input_text", "output_text":
		c.Kind = ir.TextContent
		c.Text, err = openai.Required(text, at, ".text")
	case "refusal":
		c.Kind = ir.RefusalContent
		c.Text, err = openai.Required(refusal, at, ".refusal")
	case "image_url", "input_image":
		c.Kind = ir.ImageContent
		c.Source.Detail, _ = jsonr.Text(detail)
		err = d.image(&c, image)
	case "file":
		c.Kind = ir.DocumentContent
		err = d.file(&c, file)
	case "input_audio":
		err = openai.ReadAudio(&c, audio)
	case "":
		err = openai.Missing(at.Path(".type"))
	default:
		c.Kind, c.Raw = ir.OpaqueContent, whole.Value()
		if kind == "video_url" {
			readVideo(&c.Source, video)
		}
	}
	if more && c.Kind != ir.OpaqueContent {
		d.losePart(whole, at)
	}
	return c, err
}

// losePart notes as lost the members of a part that function part ignores and that ask for
// something. Annotations and logprobs are no losses: parts of a Responses answer contain them.
func (d *requestDecoder) losePart(r jsonr.Reader, at ir.Pos) {
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "type", "text", "refusal", "image_url", "detail", "file", "input_audio":
		case "cache_control", "annotations", "logprobs":
		default:
			if d.lifted && strings.HasPrefix(key, "reasoning") && at.Index[1] == 0 {
				continue
			}
			d.lost.AddMemberAt(at, "", &r)
		}
	}
}

// image reads the value of "image_url": an object with a URL, or only the URL.
func (d *requestDecoder) image(c *ir.Content, v ir.Raw) (err *ir.Error) {
	if jsonr.KindOf(v) != jsonr.Object {
		url, err := openai.Required(v, c.At, ".image_url")
		if err == nil {
			err = readURL(&c.Source, url, c.At, ".image_url")
		}
		return err
	}
	var url ir.Raw
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "url":
			url = r.Value()
		case "detail":
			c.Source.Detail, _ = jsonr.Text(r.Value())
			c.Source.DetailField = ".image_url.detail"
		default:
			d.lost.AddMemberAt(c.At, ".image_url", &r)
		}
	}
	text, err := openai.Required(url, c.At, ".image_url.url")
	if err == nil {
		err = readURL(&c.Source, text, c.At, ".image_url.url")
	}
	return err
}

// readVideo reads the value of "video_url", as OpenRouter, vLLM and DashScope define it: an object
// with a URL. Only Google has videos among the other APIs, so the part stays opaque elsewhere.
func readVideo(s *ir.Source, v ir.Raw) {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "url" {
			url, _ := jsonr.Text(r.Value())
			openai.ReadURL(s, url)
		}
	}
}

// file reads the value of "file".
func (d *requestDecoder) file(c *ir.Content, v ir.Raw) *ir.Error {
	if jsonr.KindOf(v) != jsonr.Object {
		return openai.Missing(c.At.Path(".file"))
	}
	var data, id ir.Raw
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "file_data":
			data = r.Value()
		case "file_id":
			id = r.Value()
		case "filename":
			c.Source.Title, _ = jsonr.Text(r.Value())
		default:
			d.lost.AddMemberAt(c.At, ".file", &r)
		}
	}
	if data == "" && jsonr.KindOf(id) == jsonr.String {
		return openai.ReadFileID(c, id, ".file.file_id")
	}
	text, err := openai.Required(data, c.At, ".file.file_data")
	if err == nil && !openai.ReadFile(&c.Source, text) {
		err = openai.NotURL(c.At.Path(".file.file_data"))
	}
	return err
}

// readURL reads the URL of an image or a file. at and field give the position for errors.
func readURL(s *ir.Source, url ir.Escaped, at ir.Pos, field string) *ir.Error {
	if !openai.ReadURL(s, url) {
		return openai.NotURL(at.Path(field))
	}
	return nil
}
