package stages

import "edgelingua/translator/ir"

// TextOnly returns r for an upstream with target t. If the upstream's model accepts only text, a
// note replaces each image and audio, also in the results of tools, and lost has their paths. The
// history keeps an image, so without the note each further request would fail, too.
func TextOnly(r *ir.Request, t *ir.Target, lost *ir.Lost) (*ir.Request, *ir.Error) {
	if !t.TextOnly {
		return r, nil
	}
	return textOnly(r, t, lost)
}

// textOnly is TextOnly for a model that accepts only text.
//
//go:noinline
func textOnly(r *ir.Request, t *ir.Target, lost *ir.Lost) (*ir.Request, *ir.Error) {
	sent := *r
	sent.Messages = append([]ir.Message(nil), r.Messages...)
	for i := range sent.Messages {
		content, err := withoutMedia(sent.Messages[i].Content, t, lost)
		if err != nil {
			return nil, err
		}
		sent.Messages[i].Content = content
	}
	return &sent, nil
}

// withoutMedia returns blocks with a note instead of each image and audio. list is unchanged.
func withoutMedia(list []ir.Content, t *ir.Target, lost *ir.Lost) (out []ir.Content, err *ir.Error) {
	out = list
	for i := range list {
		c := &list[i]
		said, parts := ir.Escaped(""), c.Parts
		switch c.Kind {
		case ir.ImageContent:
			said = "[An image was left out: this model accepts only text.]"
		case ir.AudioContent:
			said = "[Audio was left out: this model accepts only text.]"
		default:
			if parts, err = withoutMedia(parts, t, lost); err != nil {
				return nil, err
			}
			if len(parts) == 0 || &parts[0] == &c.Parts[0] {
				continue
			}
		}
		if &out[0] == &list[0] {
			out = append([]ir.Content(nil), list...)
		}
		c = &out[i]
		if c.Parts = parts; said == "" {
			continue
		}
		c.Kind, c.Text, c.Source, c.Raw = ir.TextContent, said, ir.Source{}, ""
		err = lost.AddOrRefuse(t, c.At.String(), "images and audio: this model accepts only text")
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
