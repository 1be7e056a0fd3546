package ir

// Bounds of an answer, whichever API it comes from. A decoder that meets more ends it with a failure.
const (
	MaxBlocks = 1024    // blocks
	MaxHeld   = 8 << 20 // bytes that are kept of blocks until it is their turn
)
