package smoke

import "strings"

// event is one of a stream.
type event struct{ name, data string }

// node is the event's data, which is JSON.
func (e event) node() node {
	at := e.name
	if at == "" {
		at = "chunk"
	}
	return parse(at, e.data)
}

// split reads a stream (HTML standard, "Server-sent events"). One that ends inside of an event is not whole.
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
			case "", "id", "retry": // the first is a comment
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

// last is how a stream ended, for messages.
func last(events []event) string {
	if len(events) == 0 {
		return "no event at all"
	}
	e := events[len(events)-1]
	return "the end behind " + e.name + " " + e.data
}
