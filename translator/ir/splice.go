package ir

// Splice is a part of an output stored elsewhere in memory: Text belongs before byte At of the
// appended bytes.
type Splice struct {
	At   int
	Text []byte
}

// Splicer is an Encoder that repeats long texts, for example in the last events of a Responses
// stream. After SpliceInto, the encoder adds such texts to list instead of appending them.
type Splicer interface {
	SpliceInto(list *[]Splice)
}
