package chat

// appendAnnotations appends the citations of the block of text that ends, as annotations of the
// message. Their places count the characters of the message's whole content, whose blocks have no
// bounds in this API.
func (w *messageWriter) appendAnnotations(dst []byte) []byte {
	if w.citations.Len() == 0 {
		return dst
	}
	list := separated(w.gathered[inAnnotations])
	w.gathered[inAnnotations] = w.citations.Append(list, w.characters,
		`{"type":"url_citation","url_citation":{`, `}}`)
	return w.appendGathered(dst, inAnnotations)
}
