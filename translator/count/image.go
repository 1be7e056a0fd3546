package count

import "edgelingua/translator/ir"

// tokenPixels is how many pixels of an image are a token (Anthropic, "Vision").
const tokenPixels = 750

// image returns the tokens of an image in base64. If the size can't be read, the image counts as
// one of the largest.
func (t tokenizer) image(data ir.Escaped) int64 {
	w, h := size(data)
	if w == 0 || h == 0 {
		return t.largest
	}
	if long := max(w, h); long > t.side {
		w, h = w*t.side/long, h*t.side/long
	}
	return min(w*h/tokenPixels+1, t.largest)
}

// base64 is data in base64.
type base64 ir.Escaped

// at returns byte i of the decoded bytes, or 0 after their end. A character outside base64 counts
// as A.
func (b base64) at(i int) int64 {
	from, shift := i/3*4, i%3
	if from+shift+1 >= len(b) {
		return 0
	}
	two := sextet(b[from+shift])<<6 | sextet(b[from+shift+1])
	return two >> (4 - 2*shift) & 0xFF
}

func sextet(c byte) int64 {
	switch {
	case 'A' <= c && c <= 'Z':
		return int64(c - 'A')
	case 'a' <= c && c <= 'z':
		return int64(c-'a') + 26
	case '0' <= c && c <= '9':
		return int64(c-'0') + 52
	case c == '+', c == '-':
		return 62
	case c == '/', c == '_':
		return 63
	}
	return 0
}

// big and little return the two bytes at i as a big-endian and a little-endian number.
func (b base64) big(i int) int64    { return b.at(i)<<8 | b.at(i+1) }
func (b base64) little(i int) int64 { return b.at(i+1)<<8 | b.at(i) }

// size returns the width and the height in pixels of a PNG, GIF, JPEG or WebP; 0 for any other
// data.
//
//go:noinline
func size(data ir.Escaped) (w, h int64) {
	b := base64(data)
	switch b.big(0) {
	case 0x8950: // PNG: IHDR is always the first chunk
		return b.big(16)<<16 | b.big(18), b.big(20)<<16 | b.big(22)
	case 0x4749: // GIF
		return b.little(6), b.little(8)
	case 0xFFD8:
		return b.jpeg()
	case 0x5249: // RIFF
		return b.webp()
	}
	return 0, 0
}

// jpeg returns the size in the frame header (ITU T.81, B.1.1.3), which follows segments of any
// length.
func (b base64) jpeg() (w, h int64) {
	for i, n := 2, 0; n < 64 && b.at(i) == 0xFF; n++ {
		switch kind := b.at(i + 1); {
		case kind == 0xFF: // padding
			i++
		case 0xC0 <= kind && kind <= 0xCF && kind != 0xC4 && kind != 0xC8 && kind != 0xCC:
			return b.big(i + 7), b.big(i + 5)
		default:
			i += 2 + int(b.big(i+2))
		}
	}
	return 0, 0
}

// webp returns the size in the first chunk (RFC 9649, sections 2.5 to 2.7).
func (b base64) webp() (w, h int64) {
	switch b.at(15) {
	case ' ': // VP8
		return b.little(26) & 0x3FFF, b.little(28) & 0x3FFF
	case 'L':
		bits := b.little(21) | b.little(23)<<16
		return bits&0x3FFF + 1, bits>>14&0x3FFF + 1
	case 'X':
		return b.little(24) | b.at(26)<<16 + 1, b.little(27) | b.at(29)<<16 + 1
	}
	return 0, 0
}
