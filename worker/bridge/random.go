package bridge

// Letters returns 43 random letters and digits, which are 256 bits, of the random bytes with which fill fills a slice. Go's crypto/rand
// would add math/big to the module.
func Letters(fill func([]byte)) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	text, random := make([]byte, 0, 43), make([]byte, 64)
	for {
		fill(random)
		for _, b := range random {
			if b >= 4*62 { // of these the first letters would get more than their share
				continue
			}
			if text = append(text, alphabet[b%62]); len(text) == cap(text) {
				return string(text)
			}
		}
	}
}
