package bridge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeaderOf(t *testing.T) {
	lines := "content-type: text/event-stream; charset=utf-8\nretry-after: 3\nx-date: Sat, 21 Nov 2026 " +
		"10:00:00 GMT\nempty: \n"
	require.Equal(t, "text/event-stream; charset=utf-8", HeaderOf(lines, "content-type"))
	require.Equal(t, "3", HeaderOf(lines, "retry-after"))
	require.Equal(t, "Sat, 21 Nov 2026 10:00:00 GMT", HeaderOf(lines, "x-date"))
	require.Empty(t, HeaderOf(lines, "empty"))
	require.Empty(t, HeaderOf(lines, "content"))
	require.Empty(t, HeaderOf("", "content-type"))
	require.Empty(t, HeaderOf("no colon", "no"))
}

func TestAppendHeader(t *testing.T) {
	lines := AppendHeader("", "authorization", "Bearer k")
	require.Equal(t, "authorization: Bearer k\n", lines)
	require.Equal(t, lines+"a: b\n", AppendHeader(lines, "a", "b\r\nx-evil: 1"))
}

func TestWithoutHeader(t *testing.T) {
	require.Equal(t, "a: 1\nc: 3\n", WithoutHeader("a: 1\nb: 2\nc: 3\nb: 4\n", "b"))
	require.Equal(t, "a: 1\n", WithoutHeader("a: 1\n", "b"))
	require.Empty(t, WithoutHeader("", "b"))
}
