//go:build js && wasm

package main

import (
	"bytes"
	"strconv"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// shown is the exchange that the page in the browser looks at. It runs this module without a request: see worker/bridge.
var shown *answer

//export page_open
func pageOpen(n int32) int32 {
	client, rest, _ := strings.Cut(string(bridge.Input(n)), "\x00")
	record, body, _ := strings.Cut(rest, "\x00")
	shown = &answer{client: client}
	bridge.Reported = shown
	request, err := shown.open(record, []byte(body))
	if err != nil {
		return bridge.Output(shown.told(err), true)
	}
	return bridge.Output(request, false)
}

//export page_refuse
func pageRefuse(status, n int32) int32 {
	err := refusal(shown.exchange, int(status), bytes.Clone(bridge.Input(n)), nil)
	return bridge.Output(shown.told(err), true)
}

// open translates a body for the first upstream that the endpoint of a record has for it, and returns what that upstream gets. The
// stream is ready for its answer.
func (a *answer) open(record string, body []byte) ([]byte, *ir.Error) {
	if _, ok := translator.Lookup(a.client, a.client); !ok {
		return nil, &ir.Error{Kind: ir.InvalidRequest, Message: "There is no protocol " + a.client + "."}
	}
	e, failed := endpoint.Parse("", record)
	if failed != nil {
		return nil, endpoint.NotSetUp(failed.Error())
	}
	choices, err := a.choose(e, body)
	if err != nil {
		return nil, err
	}
	c := &choices[0]
	x, err := decode(a.client, c, body)
	if err != nil {
		return nil, err
	}
	a.ask(c, x)
	target := c.Target(c.Model)
	request, err := x.AppendRequest(nil, &target)
	if err == nil {
		bridge.Show(&relayed{stream: x.Stream(), exchange: x})
	}
	return request, err
}

// told is an error as its client gets it: the status, a space, and the body.
func (a *answer) told(err *ir.Error) []byte {
	a.failed = err.Kind
	dst := strconv.AppendInt(nil, int64(translator.HTTPStatus(a.client, err)), 10)
	return translator.AppendError(append(dst, ' '), a.client, err)
}
