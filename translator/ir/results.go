package ir

import "edgelingua/translator/jsonw"

// MatchResults pairs the tool calls of a history with their results, for protocols that want a result right behind its
// call. It returns one entry per tool call, in the order of the calls: the result, or nil where the call has none. A result
// belongs to the last unanswered call before it with its id: some upstreams use the same ids again in each turn. A result
// without a call is an error with its path.
func MatchResults(r *Request) ([]*Content, *Error) {
	type call struct {
		result   *Content
		previous int // call with the same id and still unanswered, -1
	}
	var calls []call
	last := map[Escaped]int{} // id -> the last unanswered call
	for m := range r.Messages {
		for c := range r.Messages[m].Content {
			block := &r.Messages[m].Content[c]
			switch block.Kind {
			case ToolCallContent:
				previous := -1
				if n, ok := last[block.ID]; ok {
					previous = n
				}
				last[block.ID] = len(calls)
				calls = append(calls, call{previous: previous})
			case ToolResultContent:
				n, ok := last[block.ID]
				if !ok {
					return nil, &Error{
						Kind:    InvalidRequest,
						Path:    r.Path(block.At),
						Message: "the tool result answers no tool call before it, or one that has a result already: " + jsonw.Unescape(block.ID),
					}
				}
				calls[n].result = block
				if previous := calls[n].previous; previous >= 0 {
					last[block.ID] = previous
				} else {
					delete(last, block.ID)
				}
			}
		}
	}
	results := make([]*Content, len(calls))
	for i := range calls {
		results[i] = calls[i].result
	}
	return results, nil
}
