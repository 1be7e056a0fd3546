package count

// class is what a character is to the estimate.
type class uint8

const (
	none class = iota
	white
	line
	digit
	mark // punctuation and symbols
	lower
	upper
	accented // a Latin letter that English does not have
	letter   // of another alphabet, from Greek to those of India

	// In these the estimate goes by characters, not by words.
	han
	kana
	hangul
	thick // of South-East Asia and Tibet
	emoji
)

// each returns what one character costs, in hundredths of a token, in a class where the estimate
// goes by characters; 0 for the others.
func (c class) each() int64 {
	switch c {
	case han:
		return 82
	case kana:
		return 76
	case hangul:
		return 70
	case thick:
		return 50
	case emoji:
		return 180
	}
	return 0
}

// classOf returns the class of a character, by the blocks of Unicode.
func classOf(r rune) class {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case r == ' ' || r == '\t' || r == '\v' || r == '\f' || r == 0xA0 || r == 0x3000:
		return white
	case r == '\n' || r == '\r':
		return line
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return digit
	case r < 0xC0 || r == 0xD7 || r == 0xF7:
		return mark
	case r < 0x370 || 0x1E00 <= r && r < 0x1F00:
		return accented
	case 0xE00 <= r && r < 0x10A0:
		return thick
	case r < 0x2000:
		return letter
	case r < 0x3040 || 0xFE00 <= r && r < 0x10000:
		return mark
	case r < 0x3100:
		return kana
	case 0xAC00 <= r && r < 0xD7B0:
		return hangul
	case r < 0xFB00 && !(0xD800 <= r && r < 0xE000) || 0x20000 <= r && r < 0x32000:
		return han
	}
	return emoji
}
