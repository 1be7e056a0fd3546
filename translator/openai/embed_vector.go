package openai

import (
	"math"
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// readVector appends the numbers of an array. ok is false for anything else, and for numbers that 32
// bits can't hold.
func readVector(numbers []float64, vector ir.Raw) (list []float64, ok bool) {
	r := jsonr.NewReader(string(vector))
	for r.OpenArray(); r.Element(); {
		n, err := strconv.ParseFloat(string(r.Value()), 64)
		if err != nil || math.Abs(n) > math.MaxFloat32 {
			return numbers, false
		}
		numbers = append(numbers, n)
	}
	return numbers, len(numbers) > 0
}

// appendVector appends a vector in the form that the client asks for. It changes numbers.
func appendVector(dst []byte, numbers []float64, r *ir.EmbedRequest) []byte {
	if r.Dimensions > 0 {
		normalize(numbers)
	}
	if r.Base64 {
		dst = append(dst, '"')
		return append(appendBase64(dst, numbers), '"')
	}
	dst = append(dst, '[')
	for i, n := range numbers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendFraction(dst, n)
	}
	return append(dst, ']')
}

// normalize gives a vector the length 1.
func normalize(numbers []float64) {
	sum := 0.0
	for _, n := range numbers {
		sum += n * n
	}
	if length := math.Sqrt(sum); length > 0 && !math.IsInf(length, 0) {
		for i := range numbers {
			numbers[i] /= length
		}
	}
}

// appendFraction appends a number from -1 to 1 with ten decimals. The error is at most 5e-11: a 32-bit
// number is more exact only below 1e-3, and a vector with the length 1 changes by less than 3e-9 with
// 3,072 numbers. strconv.AppendFloat would make the module larger.
func appendFraction(dst []byte, n float64) []byte {
	scaled := int64(math.Round(n * 1e10))
	if scaled < 0 {
		dst, scaled = append(dst, '-'), -scaled
	}
	dst = strconv.AppendInt(dst, scaled/1e10, 10)
	dst = append(dst, '.')
	at := len(dst)
	dst = strconv.AppendInt(dst, 1e10+scaled%1e10, 10)
	return append(dst[:at], dst[at+1:]...)
}

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// appendBase64 appends numbers as 32 bits each, the lowest byte first, in base64.
func appendBase64(dst []byte, numbers []float64) []byte {
	group, n := uint32(0), 0 // bytes that are not written yet
	for _, number := range numbers {
		bits := math.Float32bits(float32(number))
		for range 4 {
			group = group<<8 | bits&0xff
			bits >>= 8
			if n++; n == 3 {
				dst = append(dst, base64[group>>18], base64[group>>12&63], base64[group>>6&63],
					base64[group&63])
				group, n = 0, 0
			}
		}
	}
	switch n {
	case 1:
		dst = append(dst, base64[group>>2], base64[group<<4&63], '=', '=')
	case 2:
		dst = append(dst, base64[group>>10], base64[group>>4&63], base64[group<<2&63], '=')
	}
	return dst
}
