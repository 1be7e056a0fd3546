package stored

import (
	"edgelingua/translator/passing"
	"edgelingua/translator/responses"
	"edgelingua/worker/bridge"
)

// Frame converts a client's text frame into the body of a POST /v1/responses. prepares: no model is
// to be called.
func Frame(frame []byte) (body []byte, prepares bool, err error) {
	if err = passing.Check(frame); err != nil {
		return nil, false, err
	}
	bridge.Reserve(len(frame))
	f, err := responses.ReadFrame(frame)
	return f.Body, f.Prepares, err
}

// Remember returns what the connection remembers of this request, in the form of the bridge's
// export remember. nil: nothing, since the answer failed.
func (c *Conversation) Remember() []byte {
	k := &c.answer
	if !c.socket || !k.Done {
		return nil
	}
	sign, items := byte('='), c.items
	if c.fromMemory {
		sign, items = '+', c.ownItems
	}
	output := passing.Valid(k.Items)
	size := len(k.ID) + len("\x00=,") + len(items) + len(output)
	bridge.Reserve(size)
	out := append(append(make([]byte, 0, size), k.ID...), 0, sign)
	out = append(out, items...)
	if items != "" && len(output) > 0 {
		out = append(out, ',')
	}
	return append(out, output...)
}
