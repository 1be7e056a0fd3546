package chat

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// appendCall appends the beginning of the open call: as the element of tool_calls up to its arguments or input, or in the older
// form the value of function_call. The stream numbers them.
func (a *answer) appendCall(dst []byte, ev *ir.Event, numbered bool) []byte {
	if a.legacy {
		dst = append(dst, `{"name":`...)
		dst = jsonw.AppendEscaped(dst, ev.Name)
		return append(dst, `,"arguments":"`...)
	}
	dst = append(dst, '{')
	if numbered {
		dst = append(dst, `"index":`...)
		dst = strconv.AppendInt(dst, a.calls-1, 10)
		dst = append(dst, ',')
	}
	dst = append(dst, `"id":`...)
	dst = jsonw.AppendEscaped(dst, ev.CallID)
	if ev.Block == ir.CustomToolCallBlock {
		dst = append(dst, `,"type":"custom","custom":{"name":`...)
		dst = jsonw.AppendEscaped(dst, ev.Name)
		return append(dst, `,"input":"`...)
	}
	dst = append(dst, `,"type":"function","function":{"name":`...)
	dst = jsonw.AppendEscaped(dst, ev.Name)
	return append(dst, `,"arguments":"`...)
}

// appendCallEnd closes what appendCall has opened.
func (a *answer) appendCallEnd(dst []byte) []byte {
	if a.legacy {
		return append(dst, `"}`...)
	}
	return append(dst, `"}}`...)
}

// fill returns what the arguments of the open call lack at its end: a call without any has {}.
func (a *answer) fill() ir.Escaped {
	if a.block == ir.ToolCallBlock && !a.arguments {
		return "{}"
	}
	return ""
}

// argue takes a piece of the open call's arguments.
func (a *answer) argue(e ir.Escaped) {
	a.arguments = a.arguments || !jsonr.IsBlank(e)
}
