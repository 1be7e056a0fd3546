package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestInstanceFindsNothingOfTheOneBefore has each instance answer with the bytes after its data,
// and then write a mark there.
func TestInstanceFindsNothingOfTheOneBefore(t *testing.T) {
	m := newTestModule()
	m.handler(func(c *testCode) {
		found := c.i32(inputAt).i32(4).call("gojs syscall/js.stringVal").store()
		c.i32(inputAt).i32(0x6B72616D).op(0x36, 2, 0) // i32.store "mark"
		c.returns(c.respond(found, 200))
	})
	url, l := serve(t, m)
	for range 3 {
		_, body := get(t, "GET", url, "")
		assert.Equal(t, "\x00\x00\x00\x00", body)
	}
	assert.Empty(t, l.String())
}
