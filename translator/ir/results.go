package ir

import (
	"strconv"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// MatchResults pairs the tool calls of a history with their results, for protocols that require a
// result directly after its call. It returns one entry per tool call, in the order of the calls:
// the call's result, or nil. Without calls it returns nil. It changes r in place.
//
// Ids may repeat: across turns (Kimi K3 restarts its numbering in every answer:
// fw-ai/fireconnect#16, open-webui/open-webui#28305) and within a turn (Xinference:
// xorbitsai/inference#4237). So a result belongs to the last turn before the result that has an
// unanswered call with the same id, and there to the first such call. If several assistant messages
// of a turn have a call with the id, and too few results follow, the results belong to the calls of
// the last messages: the model has repeated the earlier calls.
//
// If APIs refuse something that has a sound repair, MatchResults repairs r and notes the repair in
// lost, or returns an error if t.RefuseLossy:
//   - A call without an id, as from llama.cpp b4856 (ggml-org/llama.cpp#12279), gets an id with
//     its number. Are there as many results without an id after the last turn as calls of the turn
//     without a result by id? Then the results belong to these calls in order. Otherwise a result
//     without an id belongs to a call without an id, or else to the only unanswered call of the last
//     turn.
//   - A call without a name gets one. LM Studio 0.3.21 sent calls with neither id nor name, and
//     Crush sent them back with the result that there is no such tool
//     (lmstudio-ai/lmstudio-bug-tracker#830).
//   - A result without a call before it, or for an answered call, becomes text of its user message:
//     clients cut off the oldest turns, and send the final output of a background call as a second
//     result. The same goes for a result without an id if no call is left, if ids are optional in
//     the client's API.
//
// A call outside an assistant message and a result outside a user message are errors with their
// path. So is a result without an id that could belong to several calls. A result without a call is
// also an error if the request continues an earlier response (r.Previous), because then no turn can
// be missing; the error has the words of OpenAI's own.
func MatchResults(r *Request, t *Target, lost *Lost) ([]*Content, *Error) {
	calls, results := countCalls(r)
	if calls+results == 0 {
		return nil, nil
	}
	return matchResults(r, t, lost, calls)
}

// matchResults is MatchResults for a history with at least one call or result; n is the number of
// calls.
//
//go:noinline
func matchResults(r *Request, t *Target, lost *Lost, n int) ([]*Content, *Error) {
	m := matcher{request: r, target: t, lost: lost, custom: customNames(r), whole: r.Previous != ""}
	if n > 0 {
		m.calls, m.results, m.queues = make([]*Content, 0, n), make([]*Content, 0, n), make([]queue, 0, n)
		m.messages = make([]int, 0, n)
		m.next, m.turns, m.open = make([]int, n), make([]int, 0, n), make(map[Escaped]int, n)
	}
	for i := range r.Messages {
		msg := &r.Messages[i]
		if msg.Role != Assistant {
			m.turn++
		} else {
			m.planned, m.order = false, nil
		}
		var repaired []Content // the message's blocks so far, if a result became text
		for c := range msg.Content {
			block := &msg.Content[c]
			m.message, m.block = i, c
			var err *Error
			paired := true
			switch block.Kind {
			case ToolCallContent, CustomCallContent:
				err = m.call(msg.Role, block)
			case ToolResultContent:
				paired, err = m.result(msg.Role, block)
			}
			switch {
			case err != nil:
				return nil, err
			case !paired:
				if repaired == nil {
					repaired = append(make([]Content, 0, len(msg.Content)+1+len(block.Parts)),
						msg.Content[:c]...)
				}
				repaired = append(repaired, orphan(block))
				for _, part := range block.Parts {
					part.ByTool = true
					repaired = append(repaired, part)
				}
			case repaired != nil:
				repaired = append(repaired, *block)
			}
		}
		if repaired != nil {
			msg.Content = repaired
		}
	}
	for n, call := range m.calls {
		if call.ID == "" {
			call.ID = Escaped("call_unnamed_" + strconv.Itoa(n))
			if m.results[n] != nil {
				m.results[n].ID = call.ID
			}
		}
	}
	return m.results, nil
}

// customNames returns the names of the request's custom tools, or nil if there are none.
func customNames(r *Request) (names map[Escaped]bool) {
	for i := range r.Tools {
		if r.Tools[i].Kind == CustomTool {
			if names == nil {
				names = make(map[Escaped]bool)
			}
			names[r.Tools[i].Name] = true
		}
	}
	return names
}

// orphan returns the text that precedes the content of a result without a call.
//
//go:noinline
func orphan(result *Content) Content {
	said := "Returned by the tool call " + result.ID +
		", which is not in this conversation or has a result already:"
	if result.ID == "" {
		said = "Returned by a tool call which is not in this conversation or has a result already:"
	}
	if result.IsError {
		said += " Error:"
	}
	return Content{Kind: TextContent, At: result.At, Text: said, Cache: result.Cache}
}

func countCalls(r *Request) (calls, results int) {
	for i := range r.Messages {
		for c := range r.Messages[i].Content {
			switch kind := r.Messages[i].Content[c].Kind; {
			case kind.IsCall():
				calls++
			case kind == ToolResultContent:
				results++
			}
		}
	}
	return calls, results
}

// matcher is the state of MatchResults. A call is identified by its index in results.
type matcher struct {
	request *Request
	target  *Target
	lost    *Lost
	custom  map[Escaped]bool // the names of the custom tools
	whole   bool             // no turn is missing
	turn    int
	calls   []*Content
	results []*Content
	turns   []int // of the calls
	queues  []queue
	next    []int           // for each call the next call of its queue
	open    map[Escaped]int // id -> index in queues: the last turn with unanswered calls of the id

	messages       []int // of the calls: index in request.Messages
	message, block int   // the position of the current block
	again          bool  // in the last turn, calls of several messages have the same id
	planned        bool  // plan has been called for the results after the last turn
	order          []int // the calls for the results without an id after the last turn
}

// queue is a linked list of the calls with the same id in one turn. Those before first have a result,
// or get none.
type queue struct {
	turn, first, last int
	size              int // from first on
	previous          int // index of the queue of an earlier turn with the same id, -1 for none
}

func (m *matcher) call(role Role, block *Content) *Error {
	if role != Assistant {
		return misplaced(block, "tool calls are only allowed in assistant messages")
	}
	if block.Kind == ToolCallContent && m.custom[block.Name] {
		block.Kind, block.Text, block.Input = CustomCallContent, customText(block.Input), ""
	}
	if block.ID == "" || block.Name == "" {
		if err := m.repair(block, "a tool call without an id or a name"); err != nil {
			return err
		}
		if block.Name == "" {
			block.Name = "unnamed"
		}
	}
	n := len(m.results)
	m.again = m.again && m.turns[n-1] == m.turn
	m.calls, m.results, m.turns = append(m.calls, block), append(m.results, nil), append(m.turns, m.turn)
	m.messages = append(m.messages, m.message)
	at, ok := m.open[block.ID]
	if ok && m.queues[at].turn == m.turn {
		q := &m.queues[at]
		m.again = m.again || m.messages[q.last] != m.message
		m.next[q.last], q.last = n, n
		q.size++
		return nil
	}
	if !ok {
		at = -1
	}
	m.open[block.ID] = len(m.queues)
	m.queues = append(m.queues, queue{m.turn, n, n, 1, at})
	return nil
}

// result pairs a result with its call. paired is false if the result has no call.
func (m *matcher) result(role Role, block *Content) (paired bool, err *Error) {
	if role != User {
		return false, misplaced(block, "tool results are only allowed in user messages")
	}
	if !m.planned && (m.again || block.ID == "") {
		m.planned = true
		m.plan()
	}
	n, ok := 0, false
	if block.ID == "" && len(m.order) > 0 {
		n, ok, m.order = m.order[0], true, m.order[1:]
	} else {
		n, ok = m.waiting(block.ID)
	}
	if !ok && block.ID == "" {
		var several bool
		if n, ok, several = m.unanswered(); !ok && (several || !m.request.API.OptionalCallIDs) {
			return false, misplaced(block, "the tool result has no tool call id, and "+
				"more than one tool call, or none, is waiting for a result")
		}
	}
	if ok && block.ID == "" && m.calls[n].ID != "" {
		block.ID = m.calls[n].ID
		err = m.repair(block, "a tool result without an id")
	}
	if !ok && m.whole && !m.called(block.ID) {
		return false, misplaced(block, "No tool call found for function call output with call_id "+
			jsonw.Unescape(block.ID)+".")
	}
	if !ok {
		what := "a tool result whose tool call is missing or already has a result"
		if block.ID != "" {
			what += ": " + jsonw.Unescape(block.ID)
		}
		return false, m.repair(block, what)
	}
	m.results[n] = block
	return true, err
}

// waiting returns the call for a result with an id. ok is false if there is none.
func (m *matcher) waiting(id Escaped) (call int, ok bool) {
	for {
		at, ok := m.open[id]
		if !ok {
			return 0, false
		}
		q := &m.queues[at]
		for m.results[q.first] != nil && q.first != q.last {
			q.first = m.next[q.first]
		}
		switch {
		case m.results[q.first] == nil:
			return q.first, true
		case q.previous >= 0:
			m.open[id] = q.previous
		default:
			delete(m.open, id)
		}
	}
}

// plan looks at the results from the current block to the next assistant message. Where several
// messages of the last turn have a call with the same id, it leaves out the first messages' calls
// if there are too few results. It sets order if each result without an id has a call.
//
//go:noinline
func (m *matcher) plan() {
	if len(m.calls) == 0 {
		return
	}
	counts, unnamed := map[Escaped]int{}, 0
	list, start := m.request.Messages, m.block
	for i := m.message; i < len(list) && list[i].Role != Assistant; i++ {
		for c := start; c < len(list[i].Content); c++ {
			block := &list[i].Content[c]
			switch {
			case block.Kind != ToolResultContent:
			case block.ID == "":
				unnamed++
			default:
				counts[block.ID]++
			}
		}
		start = 0
	}
	last := m.turns[len(m.turns)-1]
	for i := len(m.queues) - 1; i >= 0 && m.queues[i].turn == last; i-- {
		q := &m.queues[i]
		for n := counts[m.calls[q.first].ID]; n > 0 && q.size > n &&
			m.messages[q.first] != m.messages[q.last]; q.size-- {
			q.first = m.next[q.first]
		}
	}
	first := len(m.turns)
	for first > 0 && m.turns[first-1] == last {
		first--
	}
	for n := first; n < len(m.calls); n++ {
		switch id := m.calls[n].ID; {
		case m.results[n] != nil:
		case id != "" && counts[id] > 0:
			counts[id]--
		default:
			m.order = append(m.order, n)
		}
	}
	if len(m.order) != unnamed {
		m.order = nil
	}
}

// called reports whether there is a call with an id.
func (m *matcher) called(id Escaped) bool {
	for _, call := range m.calls {
		if call.ID == id {
			return true
		}
	}
	return false
}

// unanswered returns the only unanswered call of the last turn. ok is false if there is none, or if
// there are several.
func (m *matcher) unanswered() (only int, ok, several bool) {
	for n := len(m.calls) - 1; n >= 0 && m.turns[n] == m.turns[len(m.calls)-1]; n-- {
		if m.results[n] == nil {
			if ok {
				return 0, false, true
			}
			only, ok = n, true
		}
	}
	return only, ok, false
}

// repair notes a repair by MatchResults in lost, or returns an error instead. what completes the
// error's message.
func (m *matcher) repair(block *Content, what string) *Error {
	return m.lost.AddOrRefuse(m.target, block.At.String(), what)
}

// customText returns the text of a custom tool's call that the history has as a function call.
// Either an upstream without custom tools made the call (schema.CustomInput), or the client wrote
// free text instead of the arguments, and the decoders wrapped the text in an object
// (jsonr.AppendObject).
//
//go:noinline
func customText(input Raw) Escaped {
	r := jsonr.NewReader(string(input))
	for r.OpenObject(); r.Member(); {
		if key := r.Key(); key == "input" || key == "invalid_arguments" {
			if text, ok := jsonr.Text(r.Value()); ok {
				return text
			}
		}
	}
	if input == "{}" {
		return ""
	}
	return jsonw.View(jsonw.AppendQuotedRaw(nil, input))
}

func misplaced(block *Content, message string) *Error {
	return &Error{Kind: InvalidRequest, Path: block.At.String(), Message: message}
}
