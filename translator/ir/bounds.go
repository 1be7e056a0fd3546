package ir

// The bounds of one answer, for all APIs. A decoder ends an answer beyond these bounds with a
// Failure.
const (
	MaxBlocks   = 1024    // content blocks
	MaxBuffered = 8 << 20 // bytes of blocks that are buffered until the blocks before them have ended
)
