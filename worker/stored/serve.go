package stored

import (
	"net/url"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/passing"
	"edgelingua/translator/responses"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored/archive"
)

// Get returns a stored response for GET /v1/responses/ID with this query: JSON or, if streams is
// true, an SSE stream.
func Get(host bridge.Host, e *endpoint.Endpoint, api *ir.Stored, id string, q url.Values) (out []byte,
	streams bool, err error) {
	streams = q.Get("stream") == "true"
	f, err := read(host, e, api, id)
	if err != nil {
		if ir.AsError(err).Kind == ir.NotFound && runs(host, e, api, id) {
			if out, found := host.Task(owner(e), id, bridge.ShowTask); found {
				return out, false, nil
			}
		}
		if f = unfinished(host, e, api, id, err); f == nil {
			return nil, false, err
		}
	}
	// A client that names an event of the first stream would miss events here. The stored response
	// has the same content in a quarter of the stream's size; the tests compare all events but the
	// texts'.
	if q.Get("starting_after") != "" {
		return nil, false, &ir.Error{Kind: ir.InvalidRequest, Path: "starting_after",
			Message: "The stream of a stored response begins with its first event: " +
				"its texts come in one piece each, so that its events have other numbers than they had at " +
				"first. Ask for it without 'starting_after'."}
	}
	if api.Inputs {
		out, err = withInput(host, e, api, id, q, f)
		return out, false, err
	}
	if streams {
		output := shownOutput(f, q)
		size := responses.StreamSize(len(f.Head)+len(f.Tail), len(output))
		bridge.Reserve(size)
		return responses.AppendStream(make([]byte, 0, size), f.Head, output, f.Tail), true, nil
	}
	return shownResponse(f, q), false, nil
}

// shownOutput returns the output of a stored response, as a client with the query sees it.
func shownOutput(f *archive.Found, q url.Values) string {
	if !f.Hidden || wantsEncrypted(q) {
		return f.Output
	}
	return string(jsonw.View(responses.AppendShown(make([]byte, 0, len(f.Output)), f.Output)))
}

// withInput returns the stored interaction f for GET /v1beta/interactions/ID. With include_input=true it
// has its input: the steps of the conversation before its own.
func withInput(host bridge.Host, e *endpoint.Endpoint, api *ir.Stored, id string, q url.Values,
	f *archive.Found) ([]byte, error) {
	if q.Get("stream") == "true" {
		return nil, &ir.Error{Kind: ir.InvalidRequest, Path: "stream",
			Message: "A stored interaction is sent as a whole: ask for it without 'stream'."}
	}
	out := append(append(append([]byte(nil), f.Head...), f.Output...), f.Tail...)
	if q.Get("include_input") != "true" {
		return out, nil
	}
	query := archive.Query{Previous: id}
	rows, err := batch(host, e, api, id, query.Statements(host.Now().Unix()))
	if err != nil {
		return nil, err
	}
	h, problem := query.Read(rows)
	if problem != nil {
		return nil, unusable(problem, api)
	}
	bridge.Reserve(h.Size())
	out = append(out[:len(out)-1], `,"input":[`...)
	if n := len(h.Sides) - 1; n >= 0 && !h.Sides[n].Input {
		h.Sides = h.Sides[:n]
	}
	return append(h.Append(out), `]}`...), nil
}

// Delete deletes a stored response, and returns the answer to DELETE /v1/responses/ID.
func Delete(host bridge.Host, e *endpoint.Endpoint, api *ir.Stored, id string) ([]byte, error) {
	found := false
	if runs(host, e, api, id) {
		_, found = host.Task(owner(e), id, bridge.DeleteTask)
	}
	rows, err := batch(host, e, api, id, archive.Delete(id, host.Now().Unix()))
	if err != nil {
		return nil, err
	}
	if !archive.Existed(rows) && !found {
		return nil, notFound(id, e, api)
	}
	return []byte(strings.Replace(api.Deleted, "%", id, 1)), nil
}

// InputItems returns the answer to GET /v1/responses/ID/input_items with this query: a page of the
// response's input items.
func InputItems(host bridge.Host, e *endpoint.Endpoint, api *ir.Stored, id string,
	q url.Values) ([]byte, error) {
	p, err := readPage(q)
	if err != nil {
		return nil, err
	}
	query := archive.Query{Previous: id}
	rows, err := batch(host, e, api, id, query.Statements(host.Now().Unix()))
	if err != nil {
		return nil, err
	}
	h, problem := query.Read(rows)
	switch {
	case problem == nil:
		return p.append(nil, h)
	case problem.Missing != "":
		return nil, notFound(id, e, api)
	}
	return nil, unusable(problem, api)
}

// Submission converts the body of a client's POST /v1/responses/ID/submit_tool_outputs into the
// body of a POST /v1/responses that continues from the response with the outputs of its tool calls.
func Submission(host bridge.Host, e *endpoint.Endpoint, api *ir.Stored, id string,
	body []byte) ([]byte, error) {
	if err := passing.Check(body); err != nil {
		return nil, err
	}
	if e.State.Responses && !e.State.RequiredAction {
		return nil, refuse("Outputs are not submitted here: send them as 'function_call_output' items in " +
			"'input', with 'previous_response_id'. " +
			"The endpoint's option \"required_action\":\"on\" would take them.")
	}
	f, err := read(host, e, api, id)
	if err != nil {
		return nil, err
	}
	if f.Parameters == "" {
		return nil, refuse("The response waits for no outputs: it calls no functions, or not only these, " +
			"or is older than the option \"required_action\".")
	}
	calls := responses.FunctionCalls(f.Output)
	size := len(f.Parameters) + len(body) + 1<<10
	bridge.Reserve(size)
	return responses.AppendSubmission(make([]byte, 0, size), body, id, f.Parameters, calls)
}

// read returns the stored response with an id.
func read(host bridge.Host, e *endpoint.Endpoint, api *ir.Stored, id string) (*archive.Found, error) {
	rows, err := batch(host, e, api, id, archive.Read(id, host.Now().Unix()))
	if err != nil {
		return nil, err
	}
	f := archive.ReadResponse(rows)
	if f == nil {
		return nil, notFound(id, e, api)
	}
	return f, nil
}

// batch runs statements about the response with an id. It returns notFound if the endpoint can't
// have stored a response with that id.
func batch(host bridge.Host, e *endpoint.Endpoint, api *ir.Stored, id string,
	s *bridge.Statements) (*bridge.Rows, error) {
	if !e.State.Responses || !api.IsID(id) {
		return nil, notFound(id, e, api)
	}
	rows, failed := host.Batch(e.Object(), s)
	if failed != nil {
		return nil, notRead(failed, api)
	}
	return rows, nil
}

// wantsEncrypted reports whether a query asks for the encrypted_content of reasoning.
func wantsEncrypted(q url.Values) bool {
	// OpenAI's SDKs spell an array in a query as include[]
	for _, name := range [...]string{"include", "include[]"} {
		for _, value := range q[name] {
			if value == "reasoning.encrypted_content" {
				return true
			}
		}
	}
	return false
}
