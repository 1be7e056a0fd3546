package responses

import (
	"math/rand"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
)

// TestAnyEvents leaves out, repeats, swaps and breaks events of the corpus. The result must follow
// the grammar, end, and leave nothing buffered.
func TestAnyEvents(t *testing.T) {
	files, err := filepath.Glob("../testdata/stream/responses/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var streams [][]string
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		for _, f := range archive.Files {
			if f.Name != "upstream.responses.sse" {
				continue
			}
			var events []string
			for _, line := range strings.Split(string(f.Data), "\n") {
				if data, ok := strings.CutPrefix(line, "data: "); ok {
					events = append(events, data)
				}
			}
			streams = append(streams, events)
		}
	}
	broken := []string{`"output_index":`, `"item_id":`, `"content_index":`, `"delta":`, `"type":`, `"id":`,
		`"name":`, `"item":{`}
	random := rand.New(rand.NewSource(1))
	for range 5000 {
		events := append([]string(nil), streams[random.Intn(len(streams))]...)
		for range 1 + random.Intn(4) {
			i, j := random.Intn(len(events)), random.Intn(len(events))
			switch random.Intn(5) {
			case 0:
				events[i] = `{"type":"keepalive"}`
			case 1:
				events = append(events[:i+1], events[i:]...)
			case 2:
				events[i], events[j] = events[j], events[i]
			case 3:
				other := streams[random.Intn(len(streams))]
				events[i] = other[random.Intn(len(other))]
			case 4:
				key := broken[random.Intn(len(broken))]
				events[i] = strings.Replace(events[i], key, `"x":null,`+key, 1)
				events[i] = strings.Replace(events[i], key, `"y`+key[1:], random.Intn(2))
			}
		}
		l := irtest.Record(t)
		d := newDecoder(&ir.Request{API: irtest.API([]string{"chat", Name}[random.Intn(2)])}, &ir.Target{},
			&ir.Lost{}, l)
		for _, data := range events {
			d.Event("", data)
		}
		d.Close(nil)
		l.RequireEnd()
		if l.Failure() == nil {
			require.Zero(t, d.out.Buffered(), strings.Join(events, "\n"))
		}
	}
}
