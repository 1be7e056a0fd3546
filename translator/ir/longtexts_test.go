package ir

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLongTexts: texts from longLength on stay out of the written bytes, and the pieces are the whole.
func TestLongTexts(t *testing.T) {
	var none *LongTexts
	l := &LongTexts{}
	long := strings.Repeat("a", longLength)
	require.True(t, l.isLong(long))
	require.False(t, l.isLong(long[1:]))
	require.False(t, none.isLong(long))
	require.Nil(t, l.Pieces([]byte("ab")))
	body := []byte(`{"a":"`)
	for range 300 { // an index takes more than one byte
		body = l.append(body, long)
		body = append(body, ',')
	}
	body = l.append(body, long)
	want := `{"a":"` + strings.Repeat(long+",", 300) + long
	require.Equal(t, want, string(bytes.Join(l.Pieces(body), nil)))
	require.Equal(t, want+`"}`, string(bytes.Join(l.Pieces(append(body, `"}`...)), nil)))
	require.Less(t, len(body), 2000)
}
