package translator

import "edgelingua/translator/ir"

// note sets Usage and Failed by an event of the answer.
func (x *Exchange) note(ev *ir.Event) {
	switch ev.Kind {
	case ir.Start, ir.Finish:
		x.Usage = ev.Usage
	case ir.Failure:
		x.Failed = ev.Err.Kind
	}
}

// watched is a sink that notes the events of an answer in the Exchange, and hands them on.
type watched struct {
	exchange *Exchange
	sink     ir.Sink
}

// Event implements ir.Sink.
func (w *watched) Event(ev *ir.Event) {
	w.exchange.note(ev)
	w.sink.Event(ev)
}

// Model returns the model that a client's request names, whose body may be anything: the one that ReplaceModel would replace. It
// is "" where there is none. It stays when the body changes.
func Model(client *ir.API, path string, body []byte) string {
	return client.Client.Model(path, view(body))
}
