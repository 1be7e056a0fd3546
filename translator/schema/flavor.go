package schema

// Moonshot accepts a subset of JSON Schema, the "Moonshot flavored json schema" (MoonshotAI/walle:
// the parts of its validator that apply at every level). It ignores unknown keywords. At any depth it
// rejects:
//
//   - type beside anyOf ("when using anyOf, type should be defined in anyOf items instead of the
//     parent schema"), and a keyword both beside anyOf and in one of its members;
//   - a $ref with type or another keyword of its target beside it, or to anything but the root and
//     members of $defs ("references must start with #/$defs/");
//   - a required name that the same schema does not define, and an enum without a type.
//
// A type beside anyOf is removed if each member has its own. Otherwise anyOf is removed, and lost.

// cuts are the keywords that a schema loses.
type cuts uint8

const (
	cutType cuts = 1 << iota
	cutUnion
	cutEnum
)

func (c cuts) has(key string) bool {
	return c != 0 && (c&cutType != 0 && key == "type" || c&cutUnion != 0 && key == "anyOf" ||
		c&cutEnum != 0 && key == "enum")
}

// flavor notes what a schema loses that closes in the first walk.
//
//go:noinline
func (w *walk) flavor(f *frame) {
	if f.has&hasType == 0 && f.refEnd == 0 {
		f.has |= isBare
	}
	var lost cuts
	if f.has&(hasEnum|hasType) == hasEnum {
		lost |= cutEnum
	}
	switch typed := f.has&hasType != 0; {
	case f.has&hasUnion == 0:
	case f.has&f.branches&(hasProperties|hasItems|isClosed|hasRequired|hasEnum) != 0,
		typed && f.branches&isBare != 0:
		lost |= cutUnion
	case typed:
		lost |= cutType
	}
	if lost != 0 {
		if w.cuts == nil {
			w.cuts = map[int]cuts{}
		}
		w.cuts[f.start] = lost
	}
}

// definesElsewhere reports whether the schemas referred to are in "definitions", the name before
// draft 2019-09, and not in "$defs".
func (w *walk) definesElsewhere() bool {
	if w.rules&Flavored == 0 {
		return false
	}
	_, here := memberAt(w.text, span{0, len(w.text)}, "$defs")
	return !here
}
