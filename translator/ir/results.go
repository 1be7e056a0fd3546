package ir

import "edgelingua/translator/jsonw"

// MatchResults pairs the tool calls of a history with their results, for the protocols that want a result right behind its call.
// It returns one entry per tool call, in the order of the calls: its result, or nil.
//
// Ids may repeat: in each turn (Kimi K3 counts its calls anew in every answer: fw-ai/fireconnect#16, open-webui/open-webui#28305)
// and in one turn (Xinference: xorbitsai/inference#4237). So a result belongs to the last turn before it that has an unanswered
// call with its id, and there to the first such call.
//
// A result without a call, a call outside an assistant message and a result outside a user message are errors with their path.
func MatchResults(r *Request) ([]*Content, *Error) {
	m := matcher{r: r}
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
			if k := r.Messages[i].Content[c].Kind; k == ToolCallContent || k == CustomCallContent {
				n++
			}
		}
	}
	return n
}

// matcher is the state of MatchResults. A call is known by its index in results.
type matcher struct {
	r       *Request
	turn    int
	results []*Content
	queues  []queue
	next    []int           // for each call the next call of its queue
	open    map[Escaped]int // id -> index in queues: the last turn that has unanswered calls with that id
}

// queue is a linked list of the unanswered calls of one turn that have the same id.
type queue struct {
	turn, first, last int
	previous          int // index of the queue of an earlier turn with the same id, -1 for none
}

func (m *matcher) call(role Role, block *Content) *Error {
	if role != Assistant {
		return m.misplaced(block, "a tool call may only stand in an assistant message")
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
		return m.misplaced(block, "a tool result may only stand in a user message")
	}
	n, ok := m.open[block.ID]
	if !ok {
		return m.misplaced(block, "the tool result answers no tool call before it, or one that has a result already: "+jsonw.Unescape(block.ID))
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

func (m *matcher) misplaced(block *Content, message string) *Error {
	return &Error{Kind: InvalidRequest, Path: m.r.Path(block.At), Message: message}
}
