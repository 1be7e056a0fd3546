package ir

// Splice is a part of an output that stands elsewhere in memory: Text belongs in front of the byte
// At of what was appended.
type Splice struct {
	At   int
	Text []byte
}

// Splicer is an Encoder whose output repeats long texts, as the events do with which a stream of
// Responses ends. With SpliceInto it leaves these out of what it appends, and adds them to a list.
type Splicer interface {
	SpliceInto(list *[]Splice)
}
