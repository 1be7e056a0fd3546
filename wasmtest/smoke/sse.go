package smoke

import "strings"

// event is one event of a stream.
type event struct{ name, data string }

// node returns the event's data as JSON, and fails the check on other data.
func (e event) node() node {
	at := e.name
	if at == "" {
		at = "chunk"
	}
	return parse(at, e.data)
}

// split reads the events of a stream (HTML standard, "Server-sent events"). The stream must not end
// inside an event.
func split(stream string) (events []event) {
	stream = strings.ReplaceAll(stream, "\r\n", "\n")
	for stream != "" {
		block, rest, whole := strings.Cut(stream, "\n\n")
		if !whole {
			fail("an empty line behind the last event", block)
		}
		stream = rest
		var e event
		var data []string
		for line := range strings.SplitSeq(block, "\n") {
			field, value, _ := strings.Cut(line, ":")
			value = strings.TrimPrefix(value, " ")
			switch field {
			case "event":
				e.name = value
			case "data":
				data = append(data, value)
			case "", "id", "retry", `{"error"`:
				// A comment has the name "". Google repeats an error at the end of a stream, in
				// lines that are no event.
			default:
				fail("a line of an event", line)
			}
		}
		e.data = strings.Join(data, "\n")
		if data != nil {
			events = append(events, e)
		} else if e.name != "" {
			fail("data in the event "+e.name, block)
		}
	}
	return events
}

// last describes the last event of a stream, for messages.
func last(events []event) string {
	if len(events) == 0 {
		return "no event at all"
	}
	e := events[len(events)-1]
	return "the end behind " + e.name + " " + e.data
}
