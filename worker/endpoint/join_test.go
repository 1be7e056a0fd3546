package endpoint

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestJoin(t *testing.T) {
	for _, c := range [][3]string{
		{"https://a", "/v1beta/models/m:generateContent", "https://a/v1beta/models/m:generateContent"},
		{"https://a/v1", "/v1beta/models", "https://a/v1/models"},
		{"https://a/v1beta", "/v1beta/interactions", "https://a/v1beta/interactions"},
		{"https://a/v1", "/chat/completions", "https://a/v1/chat/completions"},
		{"https://a/v1", "/v1/messages", "https://a/v1/v1/messages"},
	} {
		assert.Equal(t, c[2], Join(c[0], c[1]))
	}
}
