package conform

import (
	"encoding/json"
	"net/http"
	"strings"

	"edgelingua/wasmtest/vendors"
)

// serveSocket is the WebSocket mode of the Responses API: each message response.create gets the events of its
// answer, one a message. The connection remembers its last response
// (developers.openai.com/api/docs/guides/websocket-mode).
func (u *Upstream) serveSocket(w http.ResponseWriter, r *http.Request) {
	s, err := accept(w, r)
	if err != nil {
		return
	}
	defer s.conn.Close()
	var history []any // the input and the output so far
	last := ""
	for {
		message, err := s.read()
		if err != nil {
			return
		}
		var body object
		if json.Unmarshal(message, &body) != nil || body["type"] != "response.create" {
			if s.write(opText, []byte(encode(socketError("invalid_value", "no response.create")))) != nil {
				return
			}
			continue
		}
		delete(body, "type")
		body["stream"] = true
		input, _ := body["input"].([]any)
		if id, _ := body["previous_response_id"].(string); id != "" && id == last {
			input = append(history, input...)
			delete(body, "previous_response_id")
		}
		body["input"] = input
		sent := []byte(encode(body))
		u.mu.Lock()
		session := u.sessions[string(marker.Find(sent))]
		u.mu.Unlock()
		if session == nil {
			return
		}
		t := session.next()
		if t == nil {
			return
		}
		got := &Got{Path: r.RequestURI, Header: r.Header, Body: sent}
		session.receive(got)
		request := &vendors.Request{Path: r.RequestURI, Header: r.Header, Body: sent}
		if err := session.vendor.Check(request); err != nil {
			session.refuse(got, err)
			if s.write(opText, []byte(encode(socketError("invalid_value", err.Error())))) != nil {
				return
			}
			continue
		}
		a, err := session.vendor.Play(request, &t.Turn)
		if err != nil {
			return
		}
		history = input
		events, err := split(r.Context(), a.Body())
		if err != nil {
			return
		}
		for _, e := range events {
			if whole := member[object](e.JSON, "response"); e.Name == "response.completed" {
				last = member[string](whole, "id")
				history = append(history, member[[]any](whole, "output")...)
			}
			if s.write(opText, []byte(e.Data)) != nil {
				return
			}
		}
	}
}

func socketError(code, message string) any {
	return object{"type": "error", "status": 400, "error": object{"type": "invalid_request_error",
		"code":    code,
		"message": message, "param": nil}}
}

// compact is the answer of POST /v1/responses/compact.
func compact(w http.ResponseWriter) {
	reply(w, http.StatusOK, object{"id": "resp_conform_c", "object": "response.compaction", "created_at": 1,
		"output": []any{object{"type": "compaction", "id": "cmp_1",
			"encrypted_content": strings.Repeat("Z0FB", 8)}},
		"usage": object{"input_tokens": 11, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": 7, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 18}})
}
