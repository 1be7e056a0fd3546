package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Frame returns the SSE stream of a recording, whose lines are the data of one event each. In Messages and Responses an event's
// name is the "type" in its data; Chat has no names.
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
