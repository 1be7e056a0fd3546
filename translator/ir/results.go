package ir

import (
	"strconv"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// MatchResults pairs the tool calls of a history with their results, for protocols that require a
// result directly after its call. It returns one entry per tool call, in the order of the calls:
// the call's result, or nil.
//
// Ids may repeat: across turns (Kimi K3 restarts its numbering in every answer:
// fw-ai/fireconnect#16, open-webui/open-webui#28305) and within a turn (Xinference:
// xorbitsai/inference#4237). So a result belongs to the last turn before the result that has an
// unanswered call with the same id, and there to the first such call.
//
// If APIs refuse something that has a sound repair, MatchResults repairs r and notes the repair in
// lost, or returns an error if t.RefuseLossy:
//   - A call without an id, as from llama.cpp b4856 (ggml-org/llama.cpp#12279), gets an id with
//     its number. A result without an id belongs to a call without one, or else to the only
//     unanswered call of the last turn.
//   - A call without a name gets one. LM Studio 0.3.21 sent calls with neither id nor name, and
//     Crush sent them back with the result that there is no such tool
//     (lmstudio-ai/lmstudio-bug-tracker#830).
//   - A result without a call before it, or for an answered call, becomes text of its user message:
//     clients cut off the oldest turns, and send the final output of a background call as a second
//     result.
//
// A call outside an assistant message and a result outside a user message are errors with their
// path. So is a result without an id that could belong to several calls. A result without a call is
// also an error if the request continues an earlier response (r.Previous), because then no turn can
// be missing. OpenAI refuses such a result with the same words.
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
	m := matcher{target: t, lost: lost, custom: customNames(r), whole: r.Previous != ""}
	if n > 0 {
		m.calls, m.results, m.queues = make([]*Content, 0, n), make([]*Content, 0, n), make([]queue, 0, n)
		m.next, m.turns, m.open = make([]int, n), make([]int, 0, n), make(map[Escaped]int, n)
	}
	for i := range r.Messages {
		msg := &r.Messages[i]
		if msg.Role != Assistant {
			m.turn++
		}
		var repaired []Content // the message's blocks so far, if a result became text
		for c := range msg.Content {
			block := &msg.Content[c]
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
}

// queue is a linked list of the unanswered calls with the same id in one turn.
type queue struct {
	turn, first, last int
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
	m.calls, m.results, m.turns = append(m.calls, block), append(m.results, nil), append(m.turns, m.turn)
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

// result pairs a result with its call. paired is false if the result has no call.
func (m *matcher) result(role Role, block *Content) (paired bool, err *Error) {
	if role != User {
		return false, misplaced(block, "tool results are only allowed in user messages")
	}
	n, ok := m.open[block.ID]
	if !ok && block.ID == "" {
		only := m.unanswered()
		if only < 0 {
			return false, misplaced(block, "the tool result has no tool call id, and "+
				"more than one tool call, or none, is waiting for a result")
		}
		block.ID = m.calls[only].ID
		n, ok = m.open[block.ID]
		err = m.repair(block, "a tool result without an id")
	}
	if !ok && m.whole && !m.called(block.ID) {
		return false, misplaced(block, "No tool call found for function call output with call_id "+
			jsonw.Unescape(block.ID)+".")
	}
	if !ok {
		return false, m.repair(block,
			"a tool result whose tool call is missing or already has a result: "+
				jsonw.Unescape(block.ID))
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
	return true, err
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

// unanswered returns the only unanswered call of the last turn, or -1 if there is none or more than
// one.
func (m *matcher) unanswered() int {
	only := -1
	for n := len(m.calls) - 1; n >= 0 && m.turns[n] == m.turns[len(m.calls)-1]; n-- {
		if m.results[n] == nil {
			if only >= 0 {
				return -1
			}
			only = n
		}
	}
	return only
}

// repair notes a repair by MatchResults in lost, or returns an error instead. what completes the
// error's message.
func (m *matcher) repair(block *Content, what string) *Error {
	return m.lost.AddOrRefuse(m.target, block.At.String(), what)
}

// customText returns the text of a custom tool's call that the history has as a function call.
// Either an upstream without custom tools made the call (schema.CustomInput), or the client wrote
// free text in place of the arguments, and the decoders wrapped the text in an object
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
