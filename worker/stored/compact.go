package stored

// Compact makes t the Turn of a request for a compacted conversation, which is not stored, and
// returns the request's body. If the request continues from a stored response without input of its
// own, the body gets an empty input. Compact is called between Read and Join.
func (t *Turn) Compact(body []byte) []byte {
	t.Writer, t.Bound = nil, t.goesOn()
	if t.asks.Previous != "" && !t.asks.HasInput() {
		return t.asks.AddInput(body)
	}
	return body
}
