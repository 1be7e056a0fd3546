package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Frame returns the stream of a recording that has the data of one event each line. Where the protocol names its events, that is
// the type in their data.
func Frame(protocol string, lines []byte) (stream []byte) {
	for line := range bytes.Lines(lines) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var data struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(line, &data) == nil && data.Type != "" && protocol != "chat" {
			stream = fmt.Appendf(stream, "event: %s\n", data.Type)
		}
		stream = fmt.Appendf(stream, "data: %s\n\n", line)
	}
	return stream
}
