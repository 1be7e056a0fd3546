package readme

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestKeysInArgv(t *testing.T) {
	for command, want := range map[string]int{
		"./build.sh run --secret UPSTREAM_KEY=gsk_... --secret CLIENT_KEY=a-key":                    2,
		"./build.sh run --secret UPSTREAM_KEY --secret=CLIENT_KEY=@file --secret SEAL_KEY=@<(make)": 0,
		"edgelingua serve --var UPSTREAM_KEY=a":                                                     1,
		"curl x -H 'authorization: Bearer a-key'":                                                   1,
		// a shell puts the value there
		`curl x -H "x-api-key: $KEY"`:                                 1,
		"curl x -H 'x-api-key: demo' -H 'authorization: Bearer demo'": 0,
		"curl x -H 'x-api-key: demonstration'":                        1,
		`curl x -d '{"key":"sk-..."}'`:                                1,
		`curl x -H @- <<<"x-api-key: $KEY"`:                           0,
		"EDGELINGUA_KEY=a-key codex":                                  0,
		"A='b c' EDGELINGUA_KEY=sk-1 codex --key sk-2":                1,
		"export EDGELINGUA_KEY='sk-a'":                                0,
	} {
		assert.Len(t, KeysInArgv(command), want, command)
	}
}

// TestNoDocumentHasAKeyInArgv: people copy the commands of documents.
func TestNoDocumentHasAKeyInArgv(t *testing.T) {
	all := 0
	for path, text := range documents(t) {
		for _, command := range Commands(text) {
			all++
			assert.Empty(t, KeysInArgv(command), "%s: %s", path, command)
		}
	}
	assert.Greater(t, all, 50)
}
