package stored

import (
	"net/url"
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/responses"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored/archive"
)

// reserve takes a place for a request with "background":true, or says why the response does not run
// in the background.
//
//go:noinline
func (c *Conversation) reserve() error {
	why := ""
	switch {
	case c.socket:
		why = "A frame starts no background response: send it as POST, or without 'background'."
	case !c.storing.HasInput():
		return nil // the decoder refuses the request
	case !c.host.Background():
		why = "No response runs in the background on this server, only on the local host: send the " +
			"request without 'background', with \"stream\":true."
	case c.Writer == nil:
		why = "Only stored responses run in the background: send the request with \"store\":true, or " +
			"without 'background'."
	case !c.host.Reserve(owner(c.Writer.endpoint)):
		return &ir.Error{Kind: ir.RateLimit, Path: "background",
			Message: "As many background responses as may run for this endpoint are running. Wait for " +
				"one, or send the request without 'background'."}
	default:
		c.Background = true
		return nil
	}
	return &ir.Error{Kind: ir.InvalidRequest, Path: "background", Code: "invalid_value", Message: why}
}

// Detach has the answer to the request run in the background. model is the client's name of the model.
func (c *Conversation) Detach(model string) error {
	id := string(c.answer.ID)
	if !c.host.Detach(id, responses.AppendQueued(nil, c.request, jsonw.Escape(model)), c.streams) {
		return &ir.Error{Kind: ir.Overloaded, Message: "The response can't run in the background now. " +
			"Try again."}
	}
	return nil
}

// owner returns the owner of an endpoint's background responses. An endpoint that was deleted has another
// owner than its successor of the same name.
func owner(e *endpoint.Endpoint) string { return e.Object() + "@" + strconv.FormatInt(e.Created, 10) }

// runs reports whether the host may run background responses of an endpoint, and one may have the id.
func runs(host bridge.Host, e *endpoint.Endpoint, api *ir.Stored, id string) bool {
	return e.State.Responses && api.Background && api.IsID(id) && host.Background()
}

// Follow returns the stream of a background response for GET /v1/responses/ID?stream=true, with the
// events after starting_after. found: the host still has its events.
//
//go:noinline
func Follow(host bridge.Host, e *endpoint.Endpoint, api *ir.Stored, id string, q url.Values) (
	body bridge.ClientBody, found bool, err error) {
	if q.Get("stream") != "true" || !runs(host, e, api, id) {
		return body, false, nil
	}
	count, found := host.Task(owner(e), id, bridge.TaskEvents)
	if !found {
		return body, false, nil
	}
	events, _ := strconv.Atoi(string(count))
	from := 0
	if after := q.Get("starting_after"); after != "" {
		n, failed := strconv.Atoi(after)
		if failed != nil || n < 0 || n >= events {
			return body, true, &ir.Error{Kind: ir.InvalidRequest, Path: "starting_after",
				Message: "'starting_after' must be the sequence_number of an event. There are " +
					strconv.Itoa(events) + " events so far, from 0 on."}
		}
		from = n + 1
	}
	return host.Follow(from), true, nil
}

// Cancel ends a background response, and returns the answer to POST /v1/responses/ID/cancel: the
// response. If it has ended, it stays as it is.
func Cancel(host bridge.Host, e *endpoint.Endpoint, api *ir.Stored, id string) ([]byte, error) {
	if !api.Background || !e.State.Responses || !host.Background() {
		return nil, noCancel(api)
	}
	if runs(host, e, api, id) {
		if out, found := host.Task(owner(e), id, bridge.CancelTask); found {
			return out, nil
		}
	}
	f, err := read(host, e, api, id)
	if err != nil {
		return nil, err
	}
	if !responses.InBackground(f.Tail) {
		return nil, refuse("Only background responses can be cancelled, and this one was created without " +
			"\"background\":true.")
	}
	return shownResponse(f, url.Values{}), nil
}

// noCancel returns the error of POST /v1/responses/ID/cancel where nothing runs in the background.
func noCancel(api *ir.Stored) *ir.Error {
	return refuse("Only background " + strings.ToLower(api.Noun) + "s can be cancelled, and there are none " +
		"here. To end one, close its connection.")
}

// shownResponse returns a stored response as JSON, as a client with the query sees it.
func shownResponse(f *archive.Found, q url.Values) []byte {
	output := shownOutput(f, q)
	out := append(make([]byte, 0, len(f.Head)+len(output)+len(f.Tail)), f.Head...)
	return append(append(out, output...), f.Tail...)
}
