package translator

import "edgelingua/translator/ir"

// note keeps what Usage and Failed say.
func (x *Exchange) note(ev *ir.Event) {
	switch ev.Kind {
	case ir.Start, ir.Finish:
		x.Usage = ev.Usage
	case ir.Failure:
		x.Failed = ev.Err.Kind
	}
}

// watched notes the events of an answer on their way.
type watched struct {
	exchange *Exchange
	sink     ir.Sink
}

// Event takes the next event of the answer.
func (w *watched) Event(ev *ir.Event) {
	w.exchange.note(ev)
	w.sink.Event(ev)
}

// Model returns the model that a client's request names, whose body may be anything: the one that ReplaceModel would replace. It is ""
// where there is none. It stays when the body changes.
func Model(client *ir.API, path string, body []byte) string {
	return client.Client.Model(path, view(body))
}
