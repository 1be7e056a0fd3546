package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Frame returns the SSE stream of a recording. Each line of the recording has the data of one
// event. In Messages and Responses the name of an event is the "type" in its data; events of Chat
// have no names.
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
