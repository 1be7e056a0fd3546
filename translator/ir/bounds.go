package ir

// The bounds of one answer, whichever API it comes from. A decoder that meets more ends the answer
// with a Failure.
const (
	MaxBlocks = 1024    // content blocks
	MaxHeld   = 8 << 20 // bytes of blocks that are kept back until the blocks before them have ended
)
