package stored

import (
	"net/url"
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/responses"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored/archive"
	"edgelingua/worker/tenant"
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

// restarted is the failure that readers of a response see if the host ended before the response.
const restarted = "The server was restarted before the response was complete. Send the request again."

// Detach has the answer to the request run in the background. model is the client's name of the model.
// It first stores the response as unfinished, unless the client may no longer use the endpoint. If the
// endpoint changes afterwards, EndAll ends the response.
func (c *Conversation) Detach(model string) error {
	id, e, now := string(c.answer.ID), c.Writer.endpoint, c.host.Now().Unix()
	shown := jsonw.Escape(model)
	r := archive.Response{ID: archive.Unfinished(id), Expires: now + e.State.TTL, Most: e.State.Bytes,
		Head: string(jsonw.View(responses.AppendQueued(nil, c.request, shown,
			&ir.Error{Kind: ir.Internal, Message: restarted})))}
	s := r.Write(now)
	tenant.Guard(s, e)
	if _, failed := c.host.Batch(c.object, s); failed != nil {
		if err := tenant.NotAllowed(failed); err != nil {
			return err
		}
		return NotStored(failed)
	}
	queued := responses.AppendQueued(nil, c.request, shown, nil)
	if !c.host.Detach(id, queued, c.streams, c.object, archive.Fail(id, r.Most)) {
		return &ir.Error{Kind: ir.Overloaded, Message: "The response can't run in the background now. " +
			"Try again."}
	}
	return nil
}

// owner returns the owner of an endpoint's background responses. An endpoint that was deleted has another
// owner than its successor of the same name.
func owner(e *endpoint.Endpoint) string { return ownerOf(e.Object(), e.Created) }

func ownerOf(object string, created int64) string {
	return object + "@" + strconv.FormatInt(created, 10)
}

// EndAll ends and forgets the background responses of the endpoint with an object and a creation time.
// Requests that are served now can't become background responses any more. Call EndAll after the change
// that makes the endpoint's responses unreadable.
func EndAll(host bridge.Host, object string, created int64) {
	if host.Background() {
		host.Task(ownerOf(object, created), "", bridge.EndTasks)
	}
}

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
		f = unfinished(host, e, api, id, err)
	}
	if f == nil {
		return nil, err
	}
	if !responses.InBackground(f.Tail) {
		return nil, refuse("Only background responses can be cancelled, and this one was created without " +
			"\"background\":true.")
	}
	return shownResponse(f, url.Values{}), nil
}

// unfinished returns the response with an id that was made in the background, and whose end was not
// reached. err is the error of reading a complete one. nil: there is none.
func unfinished(host bridge.Host, e *endpoint.Endpoint, api *ir.Stored, id string, err error) *archive.Found {
	if ir.AsError(err).Kind != ir.NotFound || !runs(host, e, api, id) {
		return nil
	}
	rows, failed := batch(host, e, api, id, archive.Read(archive.Unfinished(id), host.Now().Unix()))
	if failed != nil {
		return nil
	}
	f := archive.ReadResponse(rows)
	if f != nil {
		whole := f.Head
		output, at, _ := jsonr.LastMember(whole, "output")
		end := at + len(output) - len("]")
		f.Head, f.Output, f.Tail = whole[:at+len("[")], whole[at+len("["):end], whole[end:]
	}
	return f
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
