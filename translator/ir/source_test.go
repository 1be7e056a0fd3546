package ir

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/jsonw"
)

func TestReadText(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		want string // "": unchanged
	}{
		"csv":           {base64.StdEncoding.EncodeToString([]byte("a,b\r\n1,\"x\"\n")), "a,b\r\n1,\"x\"\n"},
		"no padding":    {base64.RawStdEncoding.EncodeToString([]byte("abcd")), "abcd"},
		"mark in front": {base64.StdEncoding.EncodeToString([]byte("\ufeffä €")), "ä €"},
		"slashes":       {`Pz8\/`, "???"},
		"a zip":         {"UEsDBA==", ""},
		"not utf-8":     {base64.StdEncoding.EncodeToString([]byte("abc\xff")), ""},
		"cut utf-8":     {base64.StdEncoding.EncodeToString([]byte("abc\xe2\x82")), ""},
		"a zero":        {base64.StdEncoding.EncodeToString([]byte("a\x00b")), ""},
		"other letters": {"a-b_", ""},
		"a line break":  {"YWJj\\nYWJj", ""},
		"nothing":       {"", ""},
		"only padding":  {"==", ""},
	} {
		s := Source{MediaType: "text/csv", Data: Escaped(c.data)}
		require.Equal(t, c.want != "", s.HoldsText(), name)
		s.ReadText()
		require.Equal(t, c.want, jsonw.Unescape(s.Text), name)
		require.Equal(t, c.want == "", string(s.Data) == c.data, name)
	}
	pdf := Source{MediaType: PDF, Data: "YWJj"}
	pdf.ReadText()
	require.Equal(t, Source{MediaType: PDF, Data: "YWJj"}, pdf)
}

// TestDecodeBase64 compares both alphabets with package base64, for texts of all lengths and letters.
func TestDecodeBase64(t *testing.T) {
	for n := range 40 {
		text := []byte("\n\r\t\f")
		for i := range n {
			text = append(text, byte(' '+(i*37+n*11)%(256-' ')))
		}
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			got, ok := DecodeBase64([]byte{}, encoding.EncodeToString(text))
			require.True(t, ok)
			require.Equal(t, text, got)
		}
	}
	for _, data := range []string{"QUJD=", "QU JD", "QUJ\x00", base64.RawStdEncoding.EncodeToString([]byte("a\x01b"))} {
		_, ok := DecodeBase64(nil, data)
		require.False(t, ok, data)
	}
}
