package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestWrongEngine has the command lines that the native engine refuses, each with the way out. A
// server that starts all the same gets a signal to end, so that the test fails at once.
func TestWrongEngine(t *testing.T) {
	upstream := []string{"--var", "UPSTREAM_PROTOCOL=chat", "--var", "UPSTREAM_URL=http://127.0.0.1:1/v1",
		"--secret", "CLIENT_KEY=a-long-random-key-of-a-test", "--secret", "ADMIN_KEY=another-random-key-of-a-test",
		"--secret", "SEAL_KEY=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--engine", "v8"}, "the engines are wasm and native"},
		{[]string{"--demo", "--engine", "native", "--trace"}, "--trace needs --engine wasm"},
		{append([]string{"--engine", "native"}, upstream...), "ADMIN_KEY is set: endpoints of several users " +
			"need --engine wasm"},
		{append([]string{"--check", "--engine", "native"}, upstream...), "ADMIN_KEY is set"},
	} {
		signals := make(chan os.Signal, 1)
		signals <- os.Interrupt
		var stdout, stderr strings.Builder
		code := run(append([]string{"serve", "--addr", "127.0.0.1:0"}, c.args...), signals,
			strings.NewReader(""), &stdout, &stderr)
		assert.Equal(t, exitUsage, code, "%v: %s", c.args, &stderr)
		assert.Contains(t, stderr.String(), c.says)
		assert.Empty(t, stdout.String())
	}
}
