package golden

import (
	"errors"
	"fmt"
	"strings"
)

// event is an event of a client's stream.
type event struct {
	name   string
	fields fields // nil for [DONE]
}

// Plain returns the plain body that is equivalent to a client's stream. It combines the events as
// the SDKs of the protocol do, and writes the members in the order of the translator's bodies. A
// stream differs from a plain body by design in some points; checkAgree in translator lists these.
func Plain(client string, stream []byte) (body []byte, err error) {
	events := eventsOf(stream)
	if len(events) == 0 {
		return nil, errors.New("no events")
	}
	var answer fields
	switch client {
	case "anthropic":
		answer, err = message(events)
	case "chat":
		answer, err = completion(events)
	case "responses":
		answer = fieldsOf(events[len(events)-1].fields.get("response"))
	case "gemini":
		answer, err = generated(events)
	case "interactions":
		answer, err = interaction(events)
	}
	if err != nil {
		return nil, err
	}
	if answer == nil {
		return nil, fmt.Errorf("the stream of %s has no answer", client)
	}
	return compact([]byte(answer.String()))
}

// eventsOf returns the events of a stream, each with one line of data.
func eventsOf(stream []byte) (events []event) {
	name := ""
	for line := range strings.Lines(string(stream)) {
		line = strings.TrimSuffix(line, "\n")
		if n, ok := strings.CutPrefix(line, "event: "); ok {
			name = n
		} else if data, ok := strings.CutPrefix(line, "data: "); ok {
			events = append(events, event{name, fieldsOf(data)})
			name = ""
		}
	}
	return events
}
