package smoke

// responsesReader reads a stream of Responses.
type responsesReader struct {
	created node
	items   []*openItem
	end     *node // the response of the last event; nil before that event
}

// openItem is an output item that has started.
type openItem struct {
	added     node
	parts     []*openPart
	arguments string
	args      bool // function_call_arguments.done has come
	done      *node
}

// openPart is a part of a message that has started.
type openPart struct {
	text     string
	textDone bool
	done     bool
}

func streamResponses(q *question, events []event) *said {
	var r responsesReader
	sequence := -1
	for _, e := range events {
		if isKeepAlive(e) {
			continue
		}
		n := e.node()
		n.get("type").is(e.name)
		if (r.created.v == nil) != (e.name == "response.created") {
			fail("response.created as the first event, and only there", e.name)
		}
		if r.end != nil {
			fail("nothing behind the last response", e.name)
		}
		next := n.get("sequence_number").count()
		if next <= sequence || q.strict && next != sequence+1 {
			fail("sequence numbers that count up from 0", n.v)
		}
		sequence = next
		r.take(e.name, n)
	}
	if r.end == nil {
		fail("response.completed at the end", last(events))
	}
	output := r.end.get("output").list()
	if len(output) != len(r.items) {
		fail("the items of the stream in the last response's output", r.end.get("output").v)
	}
	for i, item := range r.items {
		if item.done == nil {
			fail("response.output_item.done for each item", item.added.v)
		}
		output[i].same(*item.done)
	}
	return plainResponses(q, *r.end)
}

func (r *responsesReader) take(name string, n node) {
	switch name {
	case "response.created", "response.in_progress":
		response := n.get("response")
		responseHead(response)
		response.get("status").is("in_progress")
		response.get("output").empty()
		if name == "response.created" {
			r.created = response
		}
		response.get("id").same(r.created.get("id"))
	case "response.completed", "response.incomplete":
		response := n.get("response")
		response.get("id").same(r.created.get("id"))
		response.get("status").is(name[len("response."):])
		r.end = &response
	case "response.output_item.added":
		r.add(n)
	case "response.output_item.done":
		r.finish(n)
	default:
		r.inside(name, n)
	}
}

// add begins an item.
func (r *responsesReader) add(n node) {
	n.get("output_index").is(len(r.items))
	item := n.get("item")
	item.get("id").name()
	switch itemType(item) {
	case "message":
		item.get("role").is("assistant")
		item.get("content").empty()
	case "function_call":
		item.get("call_id").name()
		item.get("name").name()
		item.get("arguments").is("")
	case "reasoning":
		item.get("summary").empty()
	}
	r.items = append(r.items, &openItem{added: item})
}

// item returns the open item named by an event.
func (r *responsesReader) item(n node) *openItem {
	i := n.get("output_index").count()
	if i >= len(r.items) || r.items[i].done != nil {
		fail("an output_index of an open item", n.v)
	}
	return r.items[i]
}

// finish ends an item. The finished item must match the item's deltas.
func (r *responsesReader) finish(n node) {
	o, item := r.item(n), n.get("item")
	item.get("id").same(o.added.get("id"))
	item.get("type").same(o.added.get("type"))
	new(said).item(item)
	switch itemType(item) {
	case "message":
		content := item.get("content").list()
		if len(content) != len(o.parts) {
			fail("the parts of the stream in "+item.at+".content", item.v)
		}
		for i, part := range content {
			if !o.parts[i].done {
				fail("response.content_part.done before response.output_item.done", item.v)
			}
			if part.has("text") {
				part.get("text").is(o.parts[i].text)
			}
		}
	case "function_call":
		item.get("call_id").same(o.added.get("call_id"))
		item.get("name").same(o.added.get("name"))
		if !o.args {
			fail("response.function_call_arguments.done before response.output_item.done", item.v)
		}
		item.get("arguments").is(o.arguments)
	}
	o.done = &item
}

// inside reads an event about an open item.
func (r *responsesReader) inside(name string, n node) {
	switch name {
	case "response.content_part.added", "response.content_part.done", "response.output_text.delta",
		"response.output_text.done",
		"response.refusal.delta", "response.refusal.done", "response.output_text.annotation.added",
		"response.function_call_arguments.delta", "response.function_call_arguments.done",
		"response.reasoning_summary_part.added", "response.reasoning_summary_part.done",
		"response.reasoning_summary_text.delta",
		"response.reasoning_summary_text.done", "response.reasoning_text.delta",
		"response.reasoning_text.done":
	default:
		fail("an event of the Responses API", name)
	}
	o := r.item(n)
	n.get("item_id").same(o.added.get("id"))
	switch name {
	case "response.function_call_arguments.delta":
		o.arguments += n.get("delta").text()
	case "response.function_call_arguments.done":
		n.get("arguments").is(o.arguments)
		o.args = true
	case "response.content_part.added":
		if itemType(o.added) != "message" {
			return
		}
		n.get("content_index").is(len(o.parts))
		part := n.get("part")
		if part.get("type").oneOf("output_text", "refusal") == "output_text" {
			part.get("text").is("")
			part.get("annotations").empty()
		}
		o.parts = append(o.parts, &openPart{})
	case "response.output_text.delta", "response.refusal.delta":
		o.part(n).text += n.get("delta").text()
	case "response.output_text.done":
		n.get("text").is(o.part(n).text)
		o.part(n).textDone = true
	case "response.refusal.done":
		n.get("refusal").is(o.part(n).text)
		o.part(n).textDone = true
	case "response.content_part.done":
		if itemType(o.added) == "message" {
			part := o.part(n)
			if n.get("part").has("text") {
				n.get("part").get("text").is(part.text)
			}
			if part.done = part.textDone; !part.done {
				fail("response.output_text.done before response.content_part.done", n.v)
			}
		}
	}
}

// part returns the open part named by an event.
func (o *openItem) part(n node) *openPart {
	i := n.get("content_index").count()
	if i >= len(o.parts) || o.parts[i].done {
		fail("a content_index of an open part", n.v)
	}
	return o.parts[i]
}
