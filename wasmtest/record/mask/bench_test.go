package mask

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkText masks a body of 8 MB, the largest that is recorded: a conversation with escapes in
// its texts.
func BenchmarkText(b *testing.B) {
	text := `{"role":"user","content":"line one\nline \"two\" with 50% of a word & more, ` +
		`/a/path/of/some/file_name.go:12\n"},`
	body := `{"messages":[` + strings.Repeat(text, 8<<20/len(text)) + `{}]}`
	var secrets []string
	for i := range 20 {
		secrets = append(secrets, fmt.Sprintf("a-configured-secret-%d", i))
	}
	m := masker(b, secrets...)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		m.Text(body)
	}
}

// BenchmarkStream masks a stream of 8 MB.
func BenchmarkStream(b *testing.B) {
	event := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a " +
		"word\\n\"},\"finish_reason\":null}],\"id\":\"chatcmpl-1\"}\n\n"
	stream := strings.Repeat(event, 8<<20/len(event))
	m := masker(b, "a-configured-secret")
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		m.Stream(stream)
	}
}
