package chat

import "edgelingua/translator/ir"

// parts writes the elements of a content array. lead stands in front of the first text, separator in front of the first element.
func (w *requestWriter) parts(list []ir.Content, role ir.Role, lead, separator string) {
	if lead != "" && !w.holds(list, role, textual) {
		w.raw(`{"type":"text","text":"`)
		w.raw(lead)
		w.raw(`"}`)
		separator = `,`
	}
	for i := range list {
		c := &list[i]
		switch w.form(c, role) {
		case textual:
			w.raw(separator)
			w.raw(`{"type":"text","text":"`)
			w.raw(lead)
			w.textOf(c)
			w.raw(`"}`)
			lead = ``
		case attachment:
			w.raw(separator)
			w.attach(c)
		default:
			continue
		}
		separator = `,`
	}
}

// attach writes an image or a file as a part, behind one with what the client says of it.
func (w *requestWriter) attach(c *ir.Content) {
	s := &c.Source
	if !isImage(c) {
		if s.Context != "" {
			w.raw(`{"type":"text","text":`)
			w.literal(s.Context)
			w.raw(`},`)
		}
		name := s.Title
		if name == "" {
			name = "document.pdf"
		}
		w.raw(`{"type":"file","file":{"filename":`)
		w.literal(name)
		w.raw(`,"file_data":"`)
		w.data(s)
		w.raw(`"}}`)
		return
	}
	w.raw(`{"type":"image_url","image_url":{"url":"`)
	if s.URL != "" {
		w.raw(string(s.URL))
	} else {
		w.data(s)
	}
	w.raw(`"`)
	switch s.Detail {
	case "", "auto":
	case "low", "high":
		w.raw(`,"detail":`)
		w.literal(s.Detail)
	default:
		w.lost.Add(w.r.Path(c.At) + ".detail")
	}
	w.raw(`}}`)
}

// data writes the data: URL of an image or a file.
func (w *requestWriter) data(s *ir.Source) {
	w.raw(`data:`)
	w.raw(string(s.MediaType))
	w.raw(`;base64,`)
	w.raw(string(s.Data))
}
