package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// callMember returns the member for calls: clients of the older form, which send "functions", read
// function_call.
func (w *messageWriter) callMember() member {
	if w.request.Legacy {
		return inFunctionCall
	}
	return inToolCalls
}

// appendCall begins a call. Its id, type and name are sent once, because clients concatenate
// repeated values of later chunks (FAULTS 20). The older form (function_call) holds one call of a
// function. Further calls of the answer, and calls with free text, are left out: the model makes
// them again in the next turn (request_append_functions.go tells the model so).
func (w *messageWriter) appendCall(dst []byte, ev *ir.Event) []byte {
	if w.request.Legacy && (w.calls > 0 || ev.Block == ir.CustomToolCallBlock) {
		w.block = 0
		return dst
	}
	list := separated(w.gathered[w.callMember()])
	switch {
	case w.request.Legacy:
		list = jsonw.AppendTextMember(list, `{"name":`, ev.Name)
		list = append(list, `,"arguments":"`...)
	case w.plain:
		list = appendCallHead(append(list, '{'), ev)
	default: // chunks number the calls
		list = jsonw.AppendIntMember(list, `{"index":`, w.calls)
		list = appendCallHead(append(list, ','), ev)
	}
	w.calls++
	return w.appendCallPiece(dst, list)
}

// appendCallHead appends the id, type and name of a call, up to its arguments or input.
func appendCallHead(dst []byte, ev *ir.Event) []byte {
	dst = jsonw.AppendTextMember(dst, `"id":`, ev.CallID)
	if ev.Block == ir.CustomToolCallBlock {
		dst = jsonw.AppendTextMember(dst, `,"type":"custom","custom":{"name":`, ev.Name)
		return append(dst, `,"input":"`...)
	}
	dst = jsonw.AppendTextMember(dst, `,"type":"function","function":{"name":`, ev.Name)
	return append(dst, `,"arguments":"`...)
}

// appendArguments appends a piece of the open call's arguments or input. A chunk has only the index
// and the piece: openai 7.55 rejects a chunk that names the call again, even by "" or null
// ("changed tool call identity").
func (w *messageWriter) appendArguments(dst []byte, text ir.Escaped) []byte {
	w.arguments = w.arguments || !jsonr.IsBlank(text)
	list := w.gathered[w.callMember()]
	switch {
	case w.plain:
	case w.request.Legacy:
		list = append(list, `{"arguments":"`...)
	case w.block == ir.CustomToolCallBlock:
		list = jsonw.AppendIntMember(list, `{"index":`, w.calls-1)
		list = append(list, `,"custom":{"input":"`...)
	default:
		list = jsonw.AppendIntMember(list, `{"index":`, w.calls-1)
		list = append(list, `,"function":{"arguments":"`...)
	}
	return w.appendCallPiece(dst, append(list, text...))
}

// appendCallPiece appends list, the calls gathered so far, whose last call is not closed yet. A
// plain body leaves the call open, a chunk of a stream closes it at once.
func (w *messageWriter) appendCallPiece(dst, list []byte) []byte {
	if !w.plain {
		list = w.closeCall(list)
	}
	w.gathered[w.callMember()] = list
	return w.appendGathered(dst, w.callMember())
}

// appendCallEnd ends a call whose block has ended; without such a call it does nothing. A call
// without arguments gets {}, since clients parse the arguments (FAULTS 25). A call that was cut
// before its arguments gets none, since clients run every call whose arguments they can parse.
func (w *messageWriter) appendCallEnd(dst []byte, cut bool) []byte {
	if !w.waits {
		return dst
	}
	w.waits = false
	if w.block == ir.ToolCallBlock && !w.arguments && !cut {
		dst = w.appendArguments(dst, "{}")
	}
	if w.plain {
		calls := &w.gathered[w.callMember()]
		*calls = w.closeCall(*calls)
	}
	return dst
}

// closeCall ends a call after its arguments or input.
func (w *messageWriter) closeCall(list []byte) []byte {
	if w.request.Legacy {
		return append(list, `"}`...)
	}
	return append(list, `"}}`...)
}
