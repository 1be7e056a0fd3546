package host

import (
	"encoding/binary"
	"math"

	"edgelingua/wasmtest/host/js"
	"edgelingua/wasmtest/store"
)

// unpack returns the statements in packed (format: worker/bridge/doc.go).
func unpack(packed []byte) (statements []store.Statement) {
	take := func(n int) []byte {
		if n > len(packed) {
			js.Stop("packed statements end within a value")
		}
		taken := packed[:n]
		packed = packed[n:]
		return taken
	}
	bytes := func() []byte { return take(int(binary.LittleEndian.Uint32(take(4)))) }
	for len(packed) > 0 {
		letter := take(1)[0]
		if letter == 'q' {
			statements = append(statements, store.Statement{SQL: textOf(bytes())})
			continue
		}
		var v any
		switch letter {
		case 'n':
		case 'f':
			v = math.Float64frombits(binary.LittleEndian.Uint64(take(8)))
		case 's':
			v = textOf(bytes())
		case 'b':
			v = bytes()
		default:
			js.Stop("packed statements have a value of the kind %q", letter)
		}
		if len(statements) == 0 {
			js.Stop("packed statements begin with an argument")
		}
		last := &statements[len(statements)-1]
		last.Args = append(last.Args, v)
	}
	return statements
}

// textOf returns a text with its byte order mark, which js.Decode would drop.
func textOf(b []byte) string {
	const mark = "\ufeff"
	if len(b) >= len(mark) && string(b[:len(mark)]) == mark {
		return mark + textOf(b[len(mark):])
	}
	return js.Decode(b)
}

// pack packs rows (format: worker/bridge/doc.go).
func pack(rows []store.Rows) (packed []byte) {
	for _, r := range rows {
		packed = binary.LittleEndian.AppendUint32(append(packed, 'r'), uint32(r.Columns))
		for _, v := range r.Values {
			packed = appendValue(packed, v)
		}
	}
	return packed
}

func appendValue(packed []byte, v any) []byte {
	switch v := v.(type) {
	case float64:
		return binary.LittleEndian.AppendUint64(append(packed, 'f'), math.Float64bits(v))
	case string:
		text := textOf([]byte(v))
		return append(binary.LittleEndian.AppendUint32(append(packed, 's'), uint32(len(text))), text...)
	case []byte:
		return append(binary.LittleEndian.AppendUint32(append(packed, 'b'), uint32(len(v))), v...)
	}
	return append(packed, 'n')
}
