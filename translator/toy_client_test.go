package translator_test

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/sse"
)

// toyClient is a fourth protocol on the client's side, the least that ir.Client asks for. A request is
//
//	{"model":"m","stream":true,"turns":[TURN...],"tools":[{"name":"f","takes":SCHEMA}...]}
//
// and a TURN one of {"who":"user","say":TEXT}, {"who":"model","say":TEXT}, {"who":"model","call":ID,"tool":NAME,"with":OBJECT} and
// {"who":"tool","call":ID,"say":TEXT}. toyUpstream says what an answer is.
type toyClient struct{}

const toyName = "toy"

func (toyClient) Name() string { return toyName }

func (toyClient) FieldPath(_ *ir.Request, f ir.Field) string {
	return map[ir.Field]string{ir.FieldMessages: "turns", ir.FieldToolChoice: "tools"}[f]
}

func (toyClient) Shows(b ir.BlockKind) bool { return b == ir.TextBlock || b == ir.ToolCallBlock }

func (c toyClient) DecodeRequest(body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	q := &ir.Request{Client: c}
	r := jsonr.NewReader(body)
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "model":
			q.Model, _ = jsonr.Text(r.Value())
		case "stream":
			q.Stream = r.Value() == "true"
			q.StreamUsage = q.Stream
		case "turns":
			for r.OpenArray(); r.Element(); {
				if err := addToyTurn(q, &r, lost); err != nil {
					return nil, err
				}
			}
		case "tools":
			for r.OpenArray(); r.Element(); {
				addToyTool(q, &r)
			}
		default:
			lost.AddMember("", &r)
		}
	}
	if len(q.Messages) == 0 {
		return nil, q.Empty()
	}
	return q, nil
}

func addToyTurn(q *ir.Request, r *jsonr.Reader, lost *ir.Lost) *ir.Error {
	at := ir.Pos{Form: "turns[]", Index: ir.Index{len(q.Messages)}}
	var who, say, call ir.Escaped
	content := ir.Content{Kind: ir.TextContent, At: at}
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "who":
			who, _ = jsonr.Text(r.Value())
		case "say":
			say, _ = jsonr.Text(r.Value())
		case "call":
			call, _ = jsonr.Text(r.Value())
		case "tool":
			content.Kind = ir.ToolCallContent
			content.Name, _ = jsonr.Text(r.Value())
		case "with":
			content.Input = r.Value()
		default:
			lost.AddMember(at.String(), r)
		}
	}
	role := ir.User
	content.Text, content.ID = say, call
	switch who {
	case "user":
	case "model":
		role = ir.Assistant
	case "tool":
		content = ir.Content{Kind: ir.ToolResultContent, At: at, ID: call, Parts: []ir.Content{{Kind: ir.TextContent, At: at, Text: say}}}
	default:
		return &ir.Error{Kind: ir.InvalidRequest, Path: at.Path(".who"), Message: "must be user, model or tool"}
	}
	q.Messages = append(q.Messages, ir.Message{Role: role, Content: []ir.Content{content}})
	return nil
}

func addToyTool(q *ir.Request, r *jsonr.Reader) {
	tool := ir.Tool{At: ir.Pos{Form: "tools[]", Index: ir.Index{len(q.Tools)}}}
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "name":
			tool.Name, _ = jsonr.Text(r.Value())
		case "takes":
			tool.Schema = r.Value()
		}
	}
	q.Tools = append(q.Tools, tool)
}

func (toyClient) NewEncoder(*ir.Request, ir.Escaped) ir.Encoder { return &toyEncoder{} }

// toyEncoder writes a stream. A call is one event, so its arguments are gathered.
type toyEncoder struct {
	toyParts
}

func (e *toyEncoder) AppendEvent(dst []byte, ev *ir.Event) []byte {
	e.take(ev)
	if e.part == nil {
		return dst
	}
	dst = sse.AppendHead(dst, "")
	dst = append(dst, e.part...)
	return sse.AppendTail(dst)
}

func (*toyEncoder) KeepAlive() string { return ": still here\n" }

func (*toyEncoder) Trap() string { return "data: {\"wrong\":\"The translator failed.\"}\n\n" }

func (toyClient) NewFolder(_ *ir.Request, _ ir.Escaped, dst []byte) ir.Folder {
	return &toyFolder{dst: append(dst, `{"parts":[`...), start: len(dst)}
}

// toyFolder writes a plain answer: the parts of a stream in a list.
type toyFolder struct {
	toyParts
	dst   []byte
	start int
	err   *ir.Error
}

func (f *toyFolder) Event(ev *ir.Event) {
	if f.take(ev); f.part == nil {
		return
	}
	if ev.Kind == ir.Failure {
		f.err = ev.Err
		return
	}
	if ev.Kind != ir.Start {
		f.dst = append(f.dst, ',')
	}
	f.dst = append(f.dst, f.part...)
}

func (f *toyFolder) Body() ([]byte, *ir.Error) {
	if f.err != nil {
		return f.dst[:f.start], f.err
	}
	return append(f.dst, "]}"...), nil
}

// toyParts makes parts of events.
type toyParts struct {
	part  []byte // of the last event; nil: it makes none
	block ir.Event
	with  []byte // arguments of the open call
}

func (p *toyParts) take(ev *ir.Event) {
	p.part = nil
	switch ev.Kind {
	case ir.Start:
		p.part = append([]byte(`{"id":"`+string(ev.ID)), `"}`...)
	case ir.BlockStart:
		p.block = ir.Event{Block: ev.Block, CallID: clone(ev.CallID), Name: clone(ev.Name)}
		p.with = nil
	case ir.Delta:
		if p.block.Block == ir.ToolCallBlock {
			p.with = jsonw.AppendUnescaped(p.with, ev.Text)
		} else {
			p.part = []byte(`{"say":"` + string(ev.Text) + `"}`)
		}
	case ir.BlockStop:
		if p.block.Block == ir.ToolCallBlock {
			if len(p.with) == 0 { // a call without arguments may come without a delta
				p.with = []byte("{}")
			}
			p.part = []byte(`{"call":"` + string(p.block.CallID) + `","tool":"` + string(p.block.Name) + `","with":` + string(p.with) + `}`)
		}
	case ir.Finish:
		p.part = []byte(`{"end":"` + map[bool]string{true: "tool", false: "done"}[ev.Stop == ir.ToolUse] +
			`","in":` + strconv.FormatInt(ev.Usage.Prompt(), 10) + `,"out":` + strconv.FormatInt(ev.Usage.Output, 10) + `}`)
	case ir.Failure:
		p.part = append(jsonw.AppendString([]byte(`{"wrong":`), ev.Err.Message), '}')
	}
}

func clone(e ir.Escaped) ir.Escaped { return ir.Escaped([]byte(e)) }
