package corpus

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
)

// Frame returns the SSE stream of a recording. Each line of the recording has the data of one
// event. The name of an event is the "type" in its data in Messages and Responses, and the
// "event_type" in Interactions; events of Chat have no names.
func Frame(protocol string, lines []byte) (stream []byte) {
	for line := range bytes.Lines(lines) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var data struct {
			Type      string `json:"type"`
			EventType string `json:"event_type"` // in Interactions
		}
		if json.Unmarshal(line, &data) == nil && protocol != "chat" {
			if name := cmp.Or(data.Type, data.EventType); name != "" {
				stream = fmt.Appendf(stream, "event: %s\n", name)
			}
		}
		stream = fmt.Appendf(stream, "data: %s\n\n", line)
	}
	return stream
}
