package translator_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// TestScatter: the pieces of a long stream have the same bytes as the stream in one piece.
func TestScatter(t *testing.T) {
	long := strings.Repeat(`words \"of\" a text\n`, 3000)
	for name, text := range map[string]string{"long": long, "short": "short",
		"not UTF-8": long + "\xff\xfe" + long, "cut": long + "CUT", "not stored": long} {
		for _, client := range []string{"responses", "chat", "anthropic"} {
			var streams [2]bytes.Buffer
			scattered := 0
			for i := range streams {
				pair, _ := translator.Lookup(client, "chat")
				x, err := pair.Decode("",
					[]byte(`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user",`+
						`"content":"q"}],"input":"q"}`))
				require.Nil(t, err)
				_, err = x.AppendRequest(nil, &ir.Target{})
				require.Nil(t, err)
				s := translator.WorkerStream{Stream: x.Stream()}
				if i == 1 {
					s.UsePieces()
				}
				take := func(out []byte) {
					if pieces := s.Pieces(); pieces != nil {
						scattered++
						out = bytes.Join(pieces, nil)
					}
					require.Nil(t, s.Pieces(), "they are returned once")
					streams[i].Write(out)
				}
				delta := func(delta, finish string) string {
					return `data: {"id":"c","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` +
						finish + `}]}` + "\n\n"
				}
				push := func(chunk string) {
					out, _ := s.Push([]byte(chunk))
					take(out)
				}
				for rest := text; rest != ""; {
					n := min(len(rest), 700)
					for n < len(rest) && rest[n-1] == '\\' {
						n++
					}
					push(delta(`{"content":"`+rest[:n]+`"}`, "null"))
					rest = rest[n:]
				}
				push(delta(`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"f",`+
					`"arguments":"{\"a\":\"`+strings.ReplaceAll(strings.TrimSuffix(text[:len(text)/2], `\`),
					`\`, `\\\`)+`"}}]}`, "null"))
				if name == "cut" {
					take(s.Close(&ir.Error{Kind: ir.Unavailable, Message: "cut"}))
					continue
				}
				end := delta(`{}`, `"tool_calls"`) + "data: [DONE]\n\n"
				if name == "not stored" {
					_, _ = s.Push([]byte(end))
					take(s.Fail(&ir.Error{Kind: ir.Unavailable, Message: "not stored"}))
					continue
				}
				push(end)
				take(s.Close(nil))
			}
			require.Equal(t, streams[0].String(), streams[1].String(), "%s %s", name, client)
			require.Equal(t, name == "not stored", strings.Contains(streams[0].String(), `"not stored"`), client)
			require.Equal(t, client == "responses" && (name == "long" || name == "cut" || name == "not stored"), scattered > 0,
				"%s %s", name, client)
		}
	}
}
