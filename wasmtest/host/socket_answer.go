package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// maxErrorBody limits the body of an error that becomes a frame.
const maxErrorBody = 1 << 20

// maxEvent limits the data of an event, which is collected before it is sent. The program's own
// events are far below.
const maxEvent = 64 << 20

// framed is the http.ResponseWriter of a frame: the data of each event of a stream becomes a frame,
// and so does an error.
type framed struct {
	socket *socket
	frame  *socketFrame
	header http.Header
	status int
	stream bool // the answer is a stream of events

	line []byte // of a stream: an incomplete line
	data []byte // of a stream: the data of an incomplete event, with a line feed after each line
	body []byte // of an answer that is not a stream
}

func (w *framed) Header() http.Header { return w.header }

func (w *framed) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		w.stream = status < 400 && strings.HasPrefix(w.header.Get("Content-Type"), "text/event-stream")
	}
}

func (w *framed) Write(p []byte) (n int, err error) {
	w.WriteHeader(http.StatusOK)
	if !w.stream {
		w.body = append(w.body, p[:min(len(p), maxErrorBody-len(w.body))]...)
		return len(p), nil
	}
	for rest := p; ; {
		line, more, whole := bytes.Cut(rest, []byte("\n"))
		if !whole {
			if w.line = append(w.line, rest...); len(w.line)+len(w.data) > maxEvent {
				w.socket.cancel()
				return 0, errEventTooLarge
			}
			return len(p), nil
		}
		rest = more
		if len(w.line) > 0 {
			line = append(w.line, line...)
			w.line = line[:0]
		}
		if err := w.takeLine(bytes.TrimSuffix(line, []byte("\r"))); err != nil {
			return 0, err
		}
	}
}

var errEventTooLarge = errors.New("an event over its limit")

// takeLine handles a line of the stream, and sends the event if the line completes an event.
func (w *framed) takeLine(line []byte) error {
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		w.data = append(append(w.data, bytes.TrimPrefix(data, []byte(" "))...), '\n')
		return nil
	}
	if len(line) > 0 || len(w.data) == 0 {
		return nil
	}
	data := w.data[:len(w.data)-1]
	w.data = w.data[:0]
	return w.sendEvent(data)
}

func (w *framed) sendEvent(data []byte) error {
	if w.frame.cancelled.Load() {
		return errCancelled
	}
	switch gjson.GetBytes(data, "type").String() {
	case "response.completed", "response.failed", "response.incomplete", "error":
		w.frame.answered.Store(true)
	}
	return w.send(data)
}

// send sends an event of the frame's lane.
func (w *framed) send(event []byte) error { return w.socket.send(withLane(event, w.frame.name())) }

var errCancelled = errors.New("the client has cancelled the answer")

// finish sends an answer that is not a stream, at its end.
func (w *framed) finish() {
	switch {
	case w.frame.cancelled.Load():
		if w.frame.answered.Swap(true) {
			return
		}
		w.send(socketError(http.StatusBadRequest, "response_cancelled",
			"The client has cancelled the response."))
	case w.stream:
	default:
		w.frame.answered.Store(true)
		w.send(errorFrame(w.status, w.header, w.body))
	}
}

// breakOff ends an interrupted answer.
func (w *framed) breakOff() {
	if !w.frame.cancelled.Load() && !w.frame.answered.Swap(true) {
		w.send(socketError(http.StatusBadGateway, "server_error",
			"The upstream's answer broke off. Send the request again."))
	}
	w.stream = true // there is nothing to finish
}

// FlushError is http.ResponseController's flush. It does nothing: each frame is sent at once.
func (w *framed) FlushError() error { return nil }

// SetReadDeadline is for http.ResponseController. It limits the time for reading a frame.
func (w *framed) SetReadDeadline(deadline time.Time) error {
	if w.frame != nil && w.frame.buffered > 0 {
		return nil // read waits for the next frame meanwhile
	}
	return w.socket.wire.SetReadDeadline(deadline)
}

// SetWriteDeadline is for http.ResponseController. The wire has its own deadlines.
func (w *framed) SetWriteDeadline(time.Time) error { return nil }

// errorFrame returns the frame for an answer with a status, a header and a body, but without a
// stream.
func errorFrame(status int, header http.Header, body []byte) []byte {
	var said struct {
		Error map[string]json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &said) != nil || said.Error == nil {
		return socketError(http.StatusBadGateway, "server_error",
			fmt.Sprintf("The answer with status %d is no stream of events.", status))
	}
	if code := said.Error["code"]; len(code) == 0 || string(code) == "null" {
		said.Error["code"] = said.Error["type"] // clients expect a string
	}
	return marshal(status, said.Error, header)
}

// socketError returns the frame for an error of the host's own.
func socketError(status int, code, message string) []byte {
	kind := "invalid_request_error"
	if status >= 500 {
		kind = "server_error"
	}
	return marshal(status, struct {
		Type    string `json:"type"`
		Code    string `json:"code"`
		Message string `json:"message"`
		Param   any    `json:"param"`
	}{kind, code, message, nil}, nil)
}

// marshal returns the frame of an error. It has the headers that tell a client what to do, as
// OpenAI's frames do (codex-api 0.169, WrappedWebsocketErrorEvent).
func marshal(status int, e any, header http.Header) []byte {
	headers := map[string]string{}
	for name := range header {
		lower := strings.ToLower(name)
		for _, lead := range [...]string{"retry-after", "x-ratelimit-", "x-should-retry", "x-codex-"} {
			if strings.HasPrefix(lower, lead) {
				headers[lower] = header.Get(name)
			}
		}
	}
	frame, err := json.Marshal(struct {
		Type    string            `json:"type"`
		Status  int               `json:"status"`
		Error   any               `json:"error"`
		Headers map[string]string `json:"headers,omitempty"`
	}{"error", status, e, headers})
	if err != nil {
		panic(err) // can't happen: all members are strings or JSON
	}
	return frame
}

// limitReached returns the frame that makes a client open another connection, in OpenAI's words
// (guide "WebSocket mode"). Codex 0.169.0 checks the code.
func limitReached(why string) []byte {
	return socketError(http.StatusBadRequest, "websocket_connection_limit_reached",
		"Responses websocket connection limit reached ("+why+
			"). Create a new websocket connection to continue.")
}
