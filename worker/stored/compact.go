package stored

// Compact makes c the Conversation of a request for a compacted conversation, which is not stored,
// and returns the request's body. If the request continues from a stored response without input of
// its own, the body gets an empty input. Compact is called between Read and Join.
func (c *Conversation) Compact(body []byte) []byte {
	c.Writer, c.Translates = nil, c.continues()
	if c.storing.Previous != "" && !c.storing.HasInput() {
		return c.storing.AddInput(body)
	}
	return body
}
