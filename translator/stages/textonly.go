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
func withoutMedia(list []ir.Content, t *ir.Target, lost *ir.Lost) ([]ir.Content, *ir.Error) {
	copied := false
	for i := range list {
		c := list[i]
		var err *ir.Error
		switch {
		case c.Kind == ir.ImageContent:
			c, err = note(&c, "An image", t, lost)
		case c.Kind == ir.AudioContent:
			c, err = note(&c, "Audio", t, lost)
		case len(c.Parts) > 0:
			c.Parts, err = withoutMedia(c.Parts, t, lost)
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		if !copied {
			list, copied = append([]ir.Content(nil), list...), true
		}
		list[i] = c
	}
	return list, nil
}

// note returns a text that says that the block c was left out. what is the beginning of the text.
func note(c *ir.Content, what ir.Escaped, t *ir.Target, lost *ir.Lost) (ir.Content, *ir.Error) {
	return ir.Content{Kind: ir.TextContent, At: c.At, ByTool: c.ByTool, Cache: c.Cache,
			Text: "[" + what + " was left out: this model accepts only text.]"},
		lost.AddOrRefuse(t, c.At.String(), "images and audio: this model accepts only text")
}
