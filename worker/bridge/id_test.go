package bridge

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsID(t *testing.T) {
	for _, id := range []string{"a", "req_011CSHoEeqs5C35K2UUqR7Fy", "0af7651916cd43dd-8448.eb",
		strings.Repeat("x", 128)} {
		assert.True(t, IsID(id), id)
	}
	for _, id := range []string{"", strings.Repeat("x", 129), "a b", "a,b", "a\nb", "a/b", "é", "<script>"} {
		assert.False(t, IsID(id), id)
	}
}
