package translator_test

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/corpus"
)

// seed adds the corpus' sections named start+protocol+end to f, each with its protocol's number.
func seed(f *testing.F, start, end string) {
	sections(f, start, end, func(protocol uint8, data []byte) { f.Add(protocol, data) })
}

// sections calls add with each of the corpus' sections named start+protocol+end.
func sections(f *testing.F, start, end string, add func(protocol uint8, data []byte)) {
	err := filepath.WalkDir("testdata", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		archive, err := txtar.ParseFile(path)
		if err != nil {
			return err
		}
		for _, file := range archive.Files {
			middle, ok := strings.CutPrefix(file.Name, start)
			protocol, ok2 := strings.CutSuffix(middle, end)
			if i := slices.Index(protocols, protocol); ok && ok2 && i >= 0 {
				add(uint8(i), file.Data)
			}
		}
		return nil
	})
	require.NoError(f, err)
}

func protocolOf(n uint8) string { return protocols[int(n)%len(protocols)] }

func upstreamOf(n uint8) string { return upstreams[int(n)%len(upstreams)] }

// seedOwn adds beginnings of streams for protocols without sections in the corpus.
func seedOwn(f *testing.F, add func(upstream uint8, stream string)) {
	for i, name := range upstreams[len(protocols):] {
		for _, events := range opened[name] {
			add(uint8(len(protocols)+i), "data: "+events[0]+"\n\ndata: "+events[1]+"\n\n")
		}
	}
}

// FuzzRequest sends any body of each client to each upstream: it is rejected, or the upstream gets
// JSON.
func FuzzRequest(f *testing.F) {
	seed(f, "request.", ".json")
	f.Fuzz(func(t *testing.T, client uint8, body []byte) {
		for _, upstream := range upstreams {
			pair, _ := translator.Lookup(protocolOf(client), upstream)
			x, refused := pair.Decode(corpus.Path(protocolOf(client), "m", false), body)
			for _, target := range []ir.Target{{}, {Efforts: []string{"high"}, OpenAI: true, WebSearch: true,
				ToolSearch: true, Strict: true, PlainRoot: true, StrictSubset: true}} {
				if refused == nil {
					var out []byte
					if out, refused = x.AppendRequest(nil, &target); refused == nil {
						require.True(t, json.Valid(out), "%s", out)
						continue
					}
				}
				require.Equal(t, 400, ir.AsError(refused).HTTPStatus())
				answers.CheckErrorBody(t, protocolOf(client),
					translator.API(protocolOf(client)).Client.AppendError(nil, ir.AsError(refused)))
			}
		}
	})
}

// FuzzStream sends any stream of each upstream to the clients of the other protocols. Its events
// follow the grammar. A client's stream consists of whole events with JSON, and does not depend on
// the cuts of the upstream's stream. The plain body is JSON.
func FuzzStream(f *testing.F) {
	seed(f, "upstream.", ".sse")
	seedOwn(f, func(upstream uint8, stream string) { f.Add(upstream, []byte(stream)) })
	f.Fuzz(func(t *testing.T, upstream uint8, stream []byte) {
		for _, client := range protocols {
			if client == upstreamOf(upstream) {
				continue // within one protocol bytes pass unread, JSON or not
			}
			x := ask(t, client, upstreamOf(upstream))
			eventsOf(t, x, stream, false)
			whole := pushed(x, stream, max(len(stream), 1))
			answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, whole)
			require.Equal(t, string(whole), string(pushed(x, stream, 1)))
			require.Equal(t, string(whole), string(pushed(x, stream, 7)))
			body, failure := x.AppendFolded(nil, stream)
			if failure == nil {
				answers.CheckBody(t, x.Request.API.Name, x.Request.API.Name == x.Upstream(), body)
			}
			checkAgree(t, x, whole, body, ir.AsError(failure))
		}
	})
}

// FuzzSplits cuts any stream after the numbers of bytes in cuts, which may be 0: each client gets
// the same as for one piece.
func FuzzSplits(f *testing.F) {
	sections(f, "upstream.", ".sse", func(protocol uint8, data []byte) {
		f.Add(protocol, data, []byte{1, 0, 200, 3, 50, 7})
	})
	seedOwn(f, func(upstream uint8, stream string) {
		f.Add(upstream, []byte(stream), []byte{1, 0, 200, 3, 50,
			7})
	})
	f.Fuzz(func(t *testing.T, upstream uint8, stream, cuts []byte) {
		for _, client := range protocols {
			x := ask(t, client, upstreamOf(upstream))
			whole := pushed(x, stream, max(len(stream), 1))
			var out []byte
			s, rest := again(x).Stream(), stream
			for i := 0; len(rest) > 0; i++ {
				n := len(rest)
				if i < len(cuts) {
					n = min(n, int(cuts[i]))
				} else if len(cuts) > 0 {
					n = min(n, 1+int(cuts[i%len(cuts)]))
				}
				out = append(out, pushOnce(s, rest[:n])...)
				rest = rest[n:]
			}
			out = append(out, s.Close(nil)...)
			require.Equal(t, string(whole), string(out))
		}
	})
}

// FuzzBody sends any plain body of each upstream to the clients of the other protocols, like
// FuzzStream does with streams.
func FuzzBody(f *testing.F) {
	seed(f, "upstream.", ".json")
	f.Add(uint8(len(protocols)), []byte(interactionsBody))
	f.Fuzz(func(t *testing.T, upstream uint8, body []byte) {
		for _, client := range protocols {
			if client == upstreamOf(upstream) {
				continue
			}
			x := ask(t, client, upstreamOf(upstream))
			eventsOf(t, x, body, true)
			stream := streamOfBody(x, body)
			answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, stream)
			out, failure := x.AppendBody(nil, body)
			if failure == nil {
				answers.CheckBody(t, x.Request.API.Name, x.Request.API.Name == x.Upstream(), out)
			}
			checkAgree(t, x, stream, out, ir.AsError(failure))
			e := x.UpstreamError(500, body)
			answers.CheckErrorBody(t, client, translator.API(client).Client.AppendError(nil, e))
		}
	})
}
