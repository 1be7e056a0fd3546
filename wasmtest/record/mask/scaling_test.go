//go:build unix

package mask

import (
	"strings"
	"testing"

	"edgelingua/wasmtest/scaling"
)

// TestScaling: the CPU time of masking grows about linearly, whatever nearly matches a secret.
// TestLinear counts the steps of the patterns.
func TestScaling(t *testing.T) {
	near := []string{"-eyJ", "eyJ.", "-----BEGIN A-----", "-----BEGIN ", "://a:", "://aaaa:bbbb", "-xoxb-1",
		`aws_secret_access_key"""`, `"headers":{"a":"b",`, `"headers":{`, `"password":"`, `"password":     `,
		"%25", strings.Repeat("a", 40) + "c", "YWFhYWFhYWFh", "-el_a_", "Basic aaaaaaaaa",
		"Bearer aaaaaaaaaaaa ",
		"data: {\"delta\":\"-eyJ\",\"index\":0}\n\n", "data: {\"a\":[[[\n\n", "data: \n", "data:"}
	for i := range forms {
		near = append(near, forms[i].lead, "-"+forms[i].lead)
	}
	secrets := []string{configured}
	for i := range 100 { // each secret nearly matches at every place of a text of one letter
		secrets = append(secrets, strings.Repeat("a", 300+i)+"b")
	}
	m := masker(t, secrets...)
	text := func(text string) { m.Text(text) }
	stream := func(text string) { m.Stream(text) }
	scaling.Check(t,
		scaling.Plain("", "", near, text),
		scaling.Plain(`{"a":"`, `"}`, near, text),
		scaling.Plain("data: ", "\n\n", near, stream),
		scaling.Plain(`data: {"a":"`, "\"}\n\n", near, stream))
}
