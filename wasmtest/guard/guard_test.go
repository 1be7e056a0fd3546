package guard

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLoopback(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "localhost:9464", "[::1]:1", "127.9.9.9"} {
		assert.True(t, Loopback(address), address)
	}
	for _, address := range []string{"", ":9464", "0.0.0.0:9464", "[::]:1", "192.168.0.1:1", "example.com:1",
		"localhost.example:1"} {
		assert.False(t, Loopback(address), address)
	}
}
