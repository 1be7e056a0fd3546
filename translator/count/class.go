package count

// class is the class of a character for the estimate.
type class uint8

const (
	none class = iota
	white
	line
	digit
	mark // punctuation and symbols
	lower
	upper
	accented // a Latin letter that is not English
	letter   // of another alphabet, from Greek to the alphabets of India

	// For the following classes the estimate counts characters, not words.
	han
	kana
	hangul
	thick // of South-East Asia and Tibet
	emoji
)

// each returns the cost of one character, in hundredths of a token, for classes counted by
// characters; 0 for all other classes.
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
