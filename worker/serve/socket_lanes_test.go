package serve_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// slow is an upstream that answers a request when the test releases the text of its last message.
type slow struct {
	mu   sync.Mutex
	free map[string]chan struct{}
}

func (u *slow) of(text string) chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.free[text] == nil {
		u.free[text] = make(chan struct{})
	}
	return u.free[text]
}

// answer repeats all messages.
func (u *slow) answer(r *sent) *reply {
	messages := r.member("messages.#.content").Array()
	select {
	case <-u.of(messages[len(messages)-1].String()):
	case <-r.Context().Done():
		return &reply{err: r.Context().Err()}
	}
	return lenient("chat", texts("to "+r.member("messages.#.content").Raw))(r)
}

func newSlow(d *deployment) *slow {
	u := &slow{free: map[string]chan struct{}{}}
	d.upstreams["up.test"] = u.answer
	return u
}

// lastOf reads the events of all lanes until one has ended, and returns its last event.
func (s *socket) lastOf() gjson.Result {
	s.t.Helper()
	for {
		event := s.next()
		switch event.Get("type").Str {
		case "response.completed", "response.failed", "response.incomplete", "error", "response.steer.failed":
			return event
		}
	}
}

// TestLanes: a slow lane does not hold another, each lane's requests run in order, and each has its own
// memory.
func TestLanes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		u := newSlow(d)
		s := d.connect(t, "/v1/responses")
		s.send(`{"input":"slow","store":false,"stream_id":"a"}`)
		s.send(`{"input":"after slow","store":false,"stream_id":"a"}`)
		s.send(`{"input":"b1","store":false,"stream_id":"b"}`)
		s.send(`{"input":"d1","store":false}`)
		synctest.Wait()
		assert.Len(t, d.requests(), 3, "after slow waits")
		close(u.of("after slow"))
		close(u.of("b1"))
		b := s.lastOf()
		assert.Equal(t, "response.completed b", b.Get("type").Str+" "+b.Get("stream_id").Str, b.Raw)
		close(u.of("d1"))
		def := s.lastOf()
		assert.False(t, def.Get("stream_id").Exists())
		assert.Contains(t, def.Raw, `to [\"d1\"]`)

		// a fork continues from another lane's response, which its own lane can still continue
		id := b.Get("response.id").Str
		close(u.of("fork"))
		s.send(`{"input":"fork","store":false,"stream_id":"c","previous_response_id":"` + id + `"}`)
		fork := s.lastOf()
		assert.Equal(t, "c", fork.Get("stream_id").Str)
		assert.Contains(t, fork.Raw, `[\"b1\",\"to [`)
		close(u.of("b2"))
		s.send(`{"input":"b2","store":false,"stream_id":"b","previous_response_id":"` + id + `"}`)
		assert.Contains(t, s.lastOf().Raw, `b2`)
		s.send(`{"input":"again","store":false,"stream_id":"c","previous_response_id":"` + id + `"}`)
		gone := s.lastOf()
		assert.Equal(t, "previous_response_not_found c", gone.Get("error.code").Str+" "+gone.Get("stream_id").Str)

		close(u.of("slow"))
		assert.Contains(t, s.lastOf().Raw, `to [\"slow\"]`)
		assert.Contains(t, s.lastOf().Raw, `to [\"after slow\"]`)
	})
}

// TestForks: requests in progress that continue from another lane's response together have no more bytes
// of it than a connection remembers.
func TestForks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		release := make(chan struct{})
		d.upstreams["up.test"] = func(r *sent) *reply {
			if strings.Contains(r.body[len(r.body)-200:], "fork") {
				<-release
			}
			return lenient("chat", texts("ok"))(r)
		}
		s := d.connect(t, "/v1/responses")
		large := strings.Repeat("x", 6<<20)
		s.send(`{"input":"` + large + `","store":false,"stream_id":"a"}`)
		id := s.lastOf().Get("response.id").Str
		fork := func(lane string) string {
			return `{"input":"fork","store":false,"stream_id":"` + lane + `","previous_response_id":"` + id + `"}`
		}
		for _, lane := range []string{"b", "c", "d"} {
			s.send(fork(lane))
			synctest.Wait()
		}
		refused := s.lastOf()
		assert.Equal(t, "response_in_progress d", refused.Get("error.code").Str+" "+
			refused.Get("stream_id").Str)
		assert.Contains(t, refused.Get("error.message").Str, "15 MB")
		assert.Len(t, d.requests(), 3)
		close(release)
		for range 2 {
			last := s.lastOf()
			assert.Equal(t, "response.completed", last.Get("type").Str)
			id = last.Get("response.id").Str
		}
		s.send(fork("d"))
		assert.Equal(t, "response.completed", s.lastOf().Get("type").Str)
	})
}

// TestEventsOfALane: every event of a named lane has its name, and is otherwise as without a name.
func TestEventsOfALane(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		d.upstreams["up.test"] = lenient("chat", texts("ok"))
		s := d.connect(t, "/v1/responses")
		s.send(`{"input":"q","stream_id":"lane.1"}`)
		for i, event := range s.events() {
			require.True(t, gjson.Valid(event.Raw))
			assert.Equal(t, "lane.1", event.Get("stream_id").Str, event.Raw)
			assert.Equal(t, int64(i), event.Get("sequence_number").Int())
		}
		s.send(`{"input":7,"stream_id":"lane.1"}`)
		assert.Equal(t, "lane.1", s.lastOf().Get("stream_id").Str)
	})
}

// TestCancel cancels the answer of one lane. The others, and the lane's next request, go on.
func TestCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		u := newSlow(d)
		s := d.connect(t, "/v1/responses")
		s.send(`{"input":"a1","stream_id":"a"}`)
		s.send(`{"input":"a2","stream_id":"a"}`)
		s.send(`{"input":"b1","stream_id":"b"}`)
		s.send(`{"input":"none"}`)
		synctest.Wait()
		s.text(`{"type":"response.cancel","stream_id":"c"}`)
		event := s.lastOf()
		assert.Equal(t, "response_not_active c", event.Get("error.code").Str+" "+event.Get("stream_id").Str)
		s.text(`{"stream_id":"a","type":"response.cancel"}`)
		event = s.lastOf()
		assert.Equal(t, "response_cancelled a", event.Get("error.code").Str+" "+event.Get("stream_id").Str)
		synctest.Wait()
		assert.Len(t, d.requests(), 4, "a2 has begun")
		s.text(`{"type":"response.cancel"}`)
		event = s.lastOf()
		assert.Equal(t, "response_cancelled", event.Get("error.code").Str)
		assert.False(t, event.Get("stream_id").Exists())
		// an input with the words of an event is none
		close(u.of("response.cancel"))
		s.send(`{"input":"response.cancel","stream_id":"d"}`)
		assert.Equal(t, "response.completed d", strings.Join([]string{"response.completed",
			s.lastOf().Get("stream_id").Str}, " "))
		close(u.of("a2"))
		assert.Contains(t, s.lastOf().Raw, "a2")
		close(u.of("b1"))
		assert.Contains(t, s.lastOf().Raw, "b1")
	})
}

// TestSteer: steering is refused in words, with the input, while a response is in progress.
func TestSteer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		u := newSlow(d)
		s := d.connect(t, "/v1/responses")
		s.send(`{"input":"q"}`)
		synctest.Wait()
		s.text(`{"type":"response.steer","previous_response_id":"resp_1","input":[{"role":"user","content":"é"}]}`)
		event := s.lastOf()
		assert.JSONEq(t, `{"type":"response.steer.failed","sequence_number":0,"error":{"code":`+
			`"steering_not_supported","message":"Steering is not supported here: send the input with the next `+
			`response.create."},"steer":{"previous_response_id":"resp_1","input":[{"role":"user","content":"é"}]}}`,
			event.Raw)
		close(u.of("q"))
		assert.Equal(t, "response.completed", s.lastOf().Get("type").Str)
	})
}

// TestTooManyLanes: a connection has 32 names of lanes, and 16 answers at a time.
func TestTooManyLanes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		u := newSlow(d)
		close(u.of("quick"))
		s := d.connect(t, "/v1/responses")
		for i := range 32 {
			s.send(fmt.Sprintf(`{"input":"quick","stream_id":"lane-%d"}`, i))
			assert.Equal(t, "response.completed", s.lastOf().Get("type").Str)
		}
		s.send(`{"input":"quick","stream_id":"one-more"}`)
		event := s.lastOf()
		assert.Equal(t, "websocket_stream_limit_reached one-more", event.Get("error.code").Str+" "+
			event.Get("stream_id").Str)
		assert.Equal(t, "This WebSocket connection has reached its maximum number of distinct stream IDs (32). "+
			"Reuse an existing stream_id or open a new WebSocket connection.", event.Get("error.message").Str)
		before := len(d.requests())
		for i := range 20 {
			s.send(fmt.Sprintf(`{"input":"slow","stream_id":"lane-%d"}`, i))
		}
		synctest.Wait()
		assert.Equal(t, 16, len(d.requests())-before, "the others wait")
		close(u.of("slow"))
		for range 20 {
			assert.Equal(t, "response.completed", s.lastOf().Get("type").Str)
		}
		s.send(`{"input":"quick"}`)
		assert.Equal(t, "response.completed", s.lastOf().Get("type").Str, "without a name")
	})
}

// TestLanesUnderLoad: in each of eight lanes, responses come in the order of the requests.
func TestLanesUnderLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		d.upstreams["up.test"] = func(r *sent) *reply {
			return lenient("chat", texts(r.member("messages.0.content").Str))(r)
		}
		s := d.connect(t, "/v1/responses")
		sent, got, open := map[string]int{}, map[string]int{}, 0
		for n := 0; n < 400 || open > 0; {
			for ; open < 16 && n < 400; n++ {
				lane := fmt.Sprintf("lane-%d", n*7%8)
				s.send(fmt.Sprintf(`{"input":"%s %d","store":false,"stream_id":"%[1]s"}`, lane, sent[lane]))
				sent[lane]++
				open++
			}
			event := s.lastOf()
			require.Equal(t, "response.completed", event.Get("type").Str, event.Raw)
			lane := event.Get("stream_id").Str
			require.Equal(t, fmt.Sprintf("%s %d", lane, got[lane]),
				event.Get("response.output.0.content.0.text").Str)
			got[lane]++
			open--
		}
		assert.Equal(t, sent, got)
	})
}

// about returns the type or error code, and the lane, of an event.
func about(event gjson.Result) string {
	code := event.Get("error.code").Str
	if code == "" {
		code = event.Get("type").Str
	}
	return code + " " + event.Get("stream_id").Str
}

// TestLimitInALane: a limit that one lane reaches leaves the other lanes and their waiting requests
// alone.
func TestLimitInALane(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		u := newSlow(d)
		_, s := d.socketEndpoint(t, `{"limits":{"concurrent_requests":1},"usage":true}`)
		s.send(`{"input":"a1","store":false,"stream_id":"a"}`)
		synctest.Wait()
		s.send(`{"input":"a2","store":false,"stream_id":"a"}`)
		s.send(`{"input":"b1","store":false,"stream_id":"b"}`)
		assert.Equal(t, "rate_limit_exceeded b", about(s.lastOf()))
		close(u.of("a1"))
		close(u.of("a2"))
		for _, text := range []string{"a1", "a2"} {
			event := s.lastOf()
			assert.Equal(t, "response.completed a", about(event))
			assert.Contains(t, event.Raw, `to [\"`+text)
		}
	})
}

// TestRefusalWithWaitingLanes: a refusal of the client ends the connection after the answers in
// progress, and after an error for each request that waits.
func TestRefusalWithWaitingLanes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		u := newSlow(d)
		_, s := d.socketEndpoint(t, "")
		for _, text := range []string{"a1", "a2", "a3"} {
			s.send(`{"input":"` + text + `","store":false,"stream_id":"a"}`)
		}
		synctest.Wait()
		require.Equal(t, 200, d.admin("PATCH", "/endpoints/anna", `{"disabled":true}`).Code)
		s.send(`{"input":"b1","store":false,"stream_id":"b"}`)
		event := s.lastOf()
		assert.Equal(t, "403 b", event.Get("status").Raw+" "+event.Get("stream_id").Str)
		synctest.Wait()
		s.send(`{"input":"b2","store":false}`)
		synctest.Wait()
		close(u.of("a1"))
		for _, want := range []string{"response.completed a", "request_not_started a",
			"request_not_started a", "request_not_started "} {
			assert.Equal(t, want, about(s.lastOf()))
		}
		s.ended(websocket.StatusPolicyViolation)
		assert.Len(t, d.requests(), 1)
	})
}

// TestManyCancels: cancelled answers do not count as frames without room.
func TestManyCancels(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		u := newSlow(d)
		s := d.connect(t, "/v1/responses")
		want := map[string]int{}
		for i := range 12 {
			s.send(fmt.Sprintf(`{"input":"q","stream_id":"lane-%d"}`, i))
			want[fmt.Sprintf("response_cancelled lane-%d", i)] = 1
		}
		s.send(`{"input":"last"}`)
		synctest.Wait()
		for i := range 12 {
			s.text(fmt.Sprintf(`{"type":"response.cancel","stream_id":"lane-%d"}`, i))
		}
		got := map[string]int{}
		for range 12 {
			got[about(s.lastOf())]++
		}
		assert.Equal(t, want, got)
		close(u.of("last"))
		assert.Equal(t, "response.completed ", about(s.lastOf()))
	})
}

// TestNoRoom: the error for a frame without room is in the lane of the frame. The frame's name does not
// count as one of the connection's.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		u := newSlow(d)
		s := d.connect(t, "/v1/responses")
		for range 17 {
			s.send(`{"input":"q","stream_id":"first"}`)
			synctest.Wait()
		}
		for i := range 9 {
			lane := fmt.Sprintf("refused-%d", i)
			s.send(`{"input":"q","stream_id":"` + lane + `"}`)
			assert.Equal(t, "response_in_progress "+lane, about(s.lastOf()))
		}
		close(u.of("q"))
		for range 17 {
			assert.Equal(t, "response.completed first", about(s.lastOf()))
		}
		for i := range 31 {
			lane := fmt.Sprintf("lane-%d", i)
			s.send(`{"input":"q","stream_id":"` + lane + `"}`)
			assert.Equal(t, "response.completed "+lane, about(s.lastOf()))
		}
		s.send(`{"input":"q","stream_id":"refused-0"}`)
		assert.Equal(t, "websocket_stream_limit_reached refused-0", about(s.lastOf()))
	})
}

// TestRefusalBeforeReading: a request that is refused before its frame is read is refused in its lane.
func TestRefusalBeforeReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		d.upstreams["up.test"] = lenient("chat", texts("ok"))
		_, s := d.socketEndpoint(t, "")
		s.send(`{"input":"q","stream_id":"a"}`)
		assert.Equal(t, "response.completed a", about(s.lastOf()))
		synctest.Wait()
		require.Equal(t, 200, d.admin("PATCH", "/endpoints/anna", `{"disabled":true}`).Code)
		s.send(`{"input":"q","stream_id":"b"}`)
		event := s.lastOf()
		assert.Equal(t, "403 b", event.Get("status").Raw+" "+event.Get("stream_id").Str)
		s.ended(websocket.StatusPolicyViolation)
	})
}
