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
