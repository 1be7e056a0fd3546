package ir

import "edgelingua/translator/jsonw"

// MatchResults pairs the tool calls of a history with their results, for protocols that want a result right behind its
// call. It returns one entry per tool call, in the order of the calls: the result, or nil where the call has none. Some
// upstreams use the same ids again, in each turn or in one: a result belongs to the last turn before it that has an
// unanswered call with its id, and there to the first such call. A result without a call, a call outside an assistant
// message and a result outside a user message are errors with their path.
func MatchResults(r *Request) ([]*Content, *Error) {
	var m matcher
	if n := countCalls(r); n > 0 {
		m.results, m.queues = make([]*Content, 0, n), make([]queue, 0, n)
		m.next, m.open = make([]int, n), make(map[Escaped]int, n)
	}
	for i := range r.Messages {
		msg := &r.Messages[i]
		if msg.Role != Assistant {
			m.turn++
		}
		for c := range msg.Content {
			block := &msg.Content[c]
			var err *Error
			switch block.Kind {
			case ToolCallContent, CustomCallContent:
				err = m.call(msg.Role, block)
			case ToolResultContent:
				err = m.result(msg.Role, block)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return m.results, nil
}

func countCalls(r *Request) (n int) {
	for i := range r.Messages {
		for c := range r.Messages[i].Content {
			if r.Messages[i].Content[c].Kind.IsCall() {
				n++
			}
		}
	}
	return n
}

// matcher is the work of MatchResults. Calls are known by their number.
type matcher struct {
	turn    int
	results []*Content
	queues  []queue
	next    []int           // of each call: the next of its queue
	open    map[Escaped]int // id -> the queue of the last turn that has unanswered calls with it
}

// queue holds the unanswered calls of one turn that have the same id.
type queue struct {
	turn, first, last int
	previous          int // the queue of an earlier turn, -1
}

func (m *matcher) call(role Role, block *Content) *Error {
	if role != Assistant {
		return misplaced(block, "a tool call may only stand in an assistant message")
	}
	n := len(m.results)
	m.results = append(m.results, nil)
	q, ok := m.open[block.ID]
	if ok && m.queues[q].turn == m.turn {
		m.next[m.queues[q].last] = n
		m.queues[q].last = n
		return nil
	}
	if !ok {
		q = -1
	}
	m.open[block.ID] = len(m.queues)
	m.queues = append(m.queues, queue{m.turn, n, n, q})
	return nil
}

func (m *matcher) result(role Role, block *Content) *Error {
	if role != User {
		return misplaced(block, "a tool result may only stand in a user message")
	}
	n, ok := m.open[block.ID]
	if !ok {
		return misplaced(block, "the tool result answers no tool call before it, or one that has a result already: "+jsonw.Unescape(block.ID))
	}
	q := &m.queues[n]
	m.results[q.first] = block
	switch {
	case q.first != q.last:
		q.first = m.next[q.first]
	case q.previous >= 0:
		m.open[block.ID] = q.previous
	default:
		delete(m.open, block.ID)
	}
	return nil
}

func misplaced(block *Content, message string) *Error {
	return &Error{Kind: InvalidRequest, Path: block.At.String(), Message: message}
}
