package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sync"

	"github.com/tidwall/gjson"
)

// schedule has the lanes of a connection: requests of one lane are answered one after another, lanes
// side by side. A lane is named by the member stream_id of a request; "" is the lane of requests
// without a name.
type schedule struct {
	mu      sync.Mutex // of all members
	hangs   bool       // the program has ended the connection
	direct  *clientFrame
	waiting []*waitingFrame
	running []*socketFrame
	names   map[string]bool // of all lanes so far, except ""
	early   int             // frames that have found no room since an answer ended
	memory  []laneHistory   // the longest unused first
}

// waitingFrame is a buffered frame.
type waitingFrame struct {
	lane string
	data []byte
}

// laneName matches the names of lanes.
var laneName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,256}$`)

// laneOf returns the lane of a frame. A frame with an invalid name is in the lane "", where the program
// refuses the frame.
func laneOf(frame []byte) (lane string) {
	if !bytes.Contains(frame, []byte(`"stream_id"`)) {
		return ""
	}
	gjson.ParseBytes(frame).ForEach(func(key, value gjson.Result) bool {
		if key.Raw == `"stream_id"` {
			lane = ""
			if value.Type == gjson.String && laneName.MatchString(value.Str) {
				lane = value.Str
			}
		}
		return true
	})
	return lane
}

// begins takes a frame whose request can begin as soon as no other request runs: all answers have sent
// their last events, and the frame may name another lane.
func (s *schedule) begins(f *clientFrame) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) > 0 || len(s.names) == maxLanes {
		return false
	}
	for _, t := range s.running {
		if !t.answered.Load() {
			return false
		}
	}
	s.direct = f
	return true
}

// startable returns the frames whose requests begin now, and counts them as running.
func (s *socket) startable() (begin []*socketFrame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hangs {
		return nil
	}
	if s.direct != nil && len(s.running) == 0 {
		begin = append(begin, s.run(s.direct, "", 0))
		s.direct = nil
	}
	var blocked []string // lanes with a request that runs or waits
	for _, t := range s.running {
		blocked = append(blocked, t.name())
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(w *waitingFrame) bool {
		starts := len(s.running) < maxRunning && !slices.Contains(blocked, w.lane)
		if blocked = append(blocked, w.lane); starts {
			f := &clientFrame{message: bytes.NewReader(w.data), over: make(chan struct{})}
			begin = append(begin, s.run(f, w.lane, cap(w.data)))
		}
		return starts
	})
	return begin
}

// run returns the request of a frame, which counts as running.
func (s *socket) run(f *clientFrame, lane string, buffered int) *socketFrame {
	t := &socketFrame{socket: s, frame: f, buffered: buffered}
	t.ctx, t.cancel = context.WithCancel(context.WithValue(s.ctx, frameKey{}, t))
	f.request = t
	t.lane.Store(&lane)
	s.running = append(s.running, t)
	return t
}

// finish removes a request that has ended.
func (s *socket) finish(t *socketFrame) {
	s.giveBack(t.buffered)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = slices.DeleteFunc(s.running, func(other *socketFrame) bool { return other == t })
	s.hangs, s.early = s.hangs || t.hungUp, 0
}

func (s *socket) isRunning() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running) > 0
}

// named notes the lane of a request whose frame was not buffered.
func (t *socketFrame) named(lane string) {
	t.socket.mu.Lock()
	defer t.socket.mu.Unlock()
	t.lane.Store(&lane)
	t.socket.note(lane)
}

// admits reports whether the connection may have a lane.
func (s *schedule) admits(lane string) bool {
	return lane == "" || s.names[lane] || len(s.names) < maxLanes
}

// note notes the name of a lane.
func (s *schedule) note(lane string) {
	if lane == "" {
		return
	}
	if s.names == nil {
		s.names = map[string]bool{}
	}
	s.names[lane] = true
}

// enqueue has a frame wait. Without waits the reply, if any, is for the client.
func (s *socket) enqueue(data []byte) (reply []byte, waits bool) {
	if reply, handled := s.control(data); handled {
		return reply, false
	}
	lane := laneOf(data)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.admits(lane) {
		return withLane(socketError(http.StatusBadRequest, "websocket_stream_limit_reached",
			fmt.Sprintf("This WebSocket connection has reached its maximum number of distinct stream IDs "+
				"(%d). Reuse an existing stream_id or open a new WebSocket connection.",
				maxLanes)), lane), false
	}
	size := len(data)
	for _, w := range s.waiting {
		size += len(w.data)
	}
	if len(s.waiting) == maxWaiting || size > maxFrame {
		return s.noRoom(lane), false
	}
	s.note(lane)
	s.waiting = append(s.waiting, &waitingFrame{lane, data})
	return nil, true
}

// noRoom returns the error for a frame that can't wait.
func (s *socket) noRoom(lane string) []byte {
	return withLane(socketError(http.StatusConflict, "response_in_progress",
		fmt.Sprintf("Responses are in progress on this connection, and no more than %d requests of together "+
			"16 MB can wait. Wait for a last event, or open another connection.", maxWaiting)), lane)
}

// refuseWaiting answers all waiting frames, each in its lane: the connection ends before their turn.
func (s *socket) refuseWaiting() {
	s.mu.Lock()
	waiting := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	for _, w := range waiting {
		s.giveBack(cap(w.data))
		s.send(withLane(socketError(http.StatusForbidden, "request_not_started",
			"This request was not started: another request on this connection was refused, so the "+
				"connection ends. Send the request on a new connection."), w.lane))
	}
}

// tooEarly counts a frame that does not wait, and reports whether the frame ends the connection.
func (s *schedule) tooEarly() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.early++
	return s.early == maxEarly
}

// control handles the events that clients send during a response: response.cancel ends the answer in
// the lane, and response.steer is refused with its input, in the form of OpenAI's reference.
func (s *socket) control(data []byte) (reply []byte, handled bool) {
	mentions := bytes.Contains(data, []byte(`"response.cancel"`)) ||
		bytes.Contains(data, []byte(`"response.steer"`))
	if !mentions || !json.Valid(data) {
		return nil, false
	}
	switch gjson.GetBytes(data, "type").Str {
	case "response.cancel":
		lane := laneOf(data)
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, t := range s.running {
			if t.name() == lane && !t.answered.Load() {
				t.cancelled.Store(true)
				t.cancel()
				return nil, true
			}
		}
		return withLane(socketError(http.StatusBadRequest, "response_not_active",
			"No response is in progress on this lane."), lane), true
	case "response.steer":
		return steerFailed(data), true
	}
	return nil, false
}

// steerFailed returns the answer to response.steer.
func steerFailed(event []byte) []byte {
	raw := func(path string) json.RawMessage {
		if v := gjson.GetBytes(event, path); v.Exists() {
			return json.RawMessage(v.Raw)
		}
		return json.RawMessage("null")
	}
	reply, err := json.Marshal(map[string]any{
		"type": "response.steer.failed", "sequence_number": 0,
		"error": map[string]string{"code": "steering_not_supported",
			"message": "Steering is not supported here: send the input with the next response.create."},
		"steer": map[string]any{"previous_response_id": raw("previous_response_id"), "input": raw("input")},
	})
	if err != nil {
		panic(err) // can't happen: the event is JSON
	}
	return reply
}

// withLane returns an event of a lane: with its name, unless the lane is "". It may change event.
func withLane(event []byte, lane string) []byte {
	if lane == "" || len(event) < 2 || event[len(event)-1] != '}' {
		return event
	}
	event = append(event[:len(event)-1], `,"stream_id":"`...)
	return append(append(event, lane...), `"}`...)
}
