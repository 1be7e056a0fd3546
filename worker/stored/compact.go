package stored

// Compact makes t the turn of a request for a compacted conversation, which is not stored, and returns its body: where the
// request goes on from a stored response and has no input of its own, with an empty one. It is called between Read and Join.
func (t *Turn) Compact(body []byte) []byte {
	t.Writer, t.Bound = nil, t.goesOn()
	if t.asks.Previous != "" && !t.asks.HasInput() {
		return t.asks.AddInput(body)
	}
	return body
}
