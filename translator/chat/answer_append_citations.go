package chat

// appendAnnotations appends the citations of the text block that ends, as annotations of the
// message. Their offsets count characters of the whole content, since this API has no bounds
// between text blocks.
func (w *messageWriter) appendAnnotations(dst []byte) []byte {
	if w.citations.Len() == 0 {
		return dst
	}
	list := separated(w.gathered[inAnnotations])
	w.gathered[inAnnotations] = w.citations.Append(list, w.characters,
		`{"type":"url_citation","url_citation":{`, `}}`)
	return w.appendGathered(dst, inAnnotations)
}
