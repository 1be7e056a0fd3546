package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// event returns an event with a response.
func event(name string, number int, response string) string {
	return fmt.Sprintf("event: %s\ndata: {\"type\":%q,\"sequence_number\":%d,\"response\":%s}\n\n", name, name,
		number, response)
}

func begin(t *testing.T, s *tasks, owner, id string) (*task, *error) {
	t.Helper()
	why := new(error)
	d := &detachable{cancel: func(err error) { *why = err }}
	require.True(t, s.reserve(owner, d))
	task := s.begin(d, owner, id, []byte(`{"status":"queued","error":null}`), failure{})
	require.NotNil(t, task)
	return task, why
}

// TestTaskInPieces: pieces of any size make the same events, without the comments.
func TestTaskInPieces(t *testing.T) {
	events := event("response.created", 0, `{"status":"in_progress"}`) + event("x", 1, `"\n"`) +
		event("response.completed", 2, `{"status":"completed"}`)
	stream := ": keep-alive\n" + strings.ReplaceAll(events, "\n\n", "\n\n: keep-alive\n")
	for size := 1; size <= len(stream); size++ {
		s := newTasks(0)
		task, _ := begin(t, s, "o", "i")
		assert.Equal(t, `{"status":"queued","error":null}`, string(task.response()))
		for rest := stream; rest != ""; {
			n := min(size, len(rest))
			require.NoError(t, task.write([]byte(rest[:n])))
			rest = rest[n:]
		}
		s.end(task, errTaskBroken)
		require.Equal(t, events, string(task.events))
		require.Equal(t, 3, task.count())
		require.Equal(t, 4, task.comments)
		require.Equal(t, `{"status":"completed"}`, string(task.response()))
	}
}

// TestTaskEndsEarly: a piece of an event is dropped, and the end says why.
func TestTaskEndsEarly(t *testing.T) {
	for why, want := range map[error]string{
		errTaskBroken: `failed {"code":"server_error","message":"The response broke off. Send the request ` +
			`again."}`,
		errTaskCancelled: "cancelled null",
	} {
		s := newTasks(0)
		task, _ := begin(t, s, "o", "i")
		created := event("response.created", 0, `{"error":null,"x":{"status":1},"status":"in_progress"}`)
		require.NoError(t, task.write([]byte(created+"event: response.completed\ndata: {")))
		s.end(task, why)
		r := gjson.ParseBytes(task.response())
		assert.Equal(t, want, r.Get("status").Str+" "+r.Get("error").Raw)
		assert.EqualValues(t, 1, r.Get("x.status").Int())
		assert.Equal(t, 3, task.count())
		assert.True(t, strings.HasPrefix(string(task.events), created+"event: error\ndata: {"))
	}
}

// TestTaskTooLarge: a task over its bounds ends, and what it has had stays readable.
func TestTaskTooLarge(t *testing.T) {
	for name, s := range map[string]*tasks{"the bound of a task": newTasks(0), "the host's": newTasks(1 << 20)} {
		task, why := begin(t, s, "o", "i")
		err := error(nil)
		n := 0
		for piece := []byte(event("x", 0, `"`+strings.Repeat("x", 1<<16)+`"`)); err == nil; n++ {
			err = task.write(piece)
		}
		assert.ErrorIs(t, err, errTaskTooLarge, name)
		assert.ErrorIs(t, *why, errTaskTooLarge, name)
		assert.LessOrEqual(t, len(task.events), maxTask)
		s.end(task, *why)
		assert.Equal(t, n+1, task.count(), name)
		assert.Contains(t, gjson.GetBytes(task.response(), "error.message").Str, "more memory")
	}
}

// TestTaskMemory: ended tasks of the same owner make room, the oldest first; other owners' stay.
func TestTaskMemory(t *testing.T) {
	s := newTasks(4 << 20)
	fill := func(owner, id string) *task {
		task, _ := begin(t, s, owner, id)
		s.leave(task) // its creator
		require.NoError(t, task.write(make([]byte, 1<<20)), "%s %s", owner, id)
		return task
	}
	other := fill("other", "a")
	s.end(other, errTaskBroken)
	for _, id := range []string{"a", "b", "c", "d"} {
		s.end(fill("o", id), errTaskBroken)
	}
	assert.Nil(t, s.find("o", "a"))
	assert.NotNil(t, s.find("o", "d"))
	assert.Same(t, other, s.find("other", "a"))
	assert.Nil(t, s.find("other", "d"))
	for _, task := range []*task{other, s.find("o", "d"), s.find("o", "c"), s.find("o", "b"), s.find("o", "b")} {
		if task != nil {
			s.forget(task.owner, task.id)
		}
	}
	assert.Zero(t, s.memory.taken)
	assert.Empty(t, s.of)
	assert.Empty(t, s.over)
}

// TestTaskComments: a listener that has all events gets the comments that come.
func TestTaskComments(t *testing.T) {
	s := newTasks(0)
	task, _ := begin(t, s, "o", "i")
	out := make(written)
	ctx, leave := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- task.follow(ctx, 0, &patientWriter{w: out, control: unlimited{}}) }()
	first := event("response.created", 0, `{}`)
	task.write([]byte(first))
	assert.Equal(t, first, <-out)
	task.write([]byte(": keep-alive\n"))
	assert.Equal(t, ": keep-alive\n", <-out)
	leave()
	assert.ErrorIs(t, <-over, context.Canceled)
	assert.Empty(t, task.listeners)

	gone := &patientWriter{w: failingWriter{}, control: unlimited{}}
	go func() { over <- task.follow(t.Context(), 0, gone) }()
	assert.ErrorIs(t, <-over, errWrite)
	assert.Empty(t, task.listeners)
}

// written gets each write.
type written chan string

func (w written) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

var errWrite = errors.New("the client is gone")

type failingWriter struct{}

// unlimited is the control of a connection without deadlines.
type unlimited struct{}

func (unlimited) SetWriteDeadline(time.Time) error { return nil }

func (unlimited) Flush() error { return nil }

func (failingWriter) Write([]byte) (int, error) { return 0, errWrite }

// TestTaskDiesAtOnce: if the program dies before the stream of a task, the client gets the end of the task.
func TestTaskDiesAtOnce(t *testing.T) {
	h := &Host{tasks: newTasks(0), patience: usualPatience}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		newDetachable(h, w, r).serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			assert.True(t, detachAs(r, "i", true))
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "2")
			w.WriteHeader(http.StatusInternalServerError)
			io.WriteString(w, "{}")
		}))
	}))
	defer server.Close()
	a, err := http.Post(server.URL, "", nil)
	require.NoError(t, err)
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	require.NoError(t, err)
	assert.Equal(t, "200 text/event-stream", fmt.Sprint(a.StatusCode, " ", a.Header.Get("Content-Type")))
	assert.Contains(t, string(body), "event: response.failed\n")
}

// detachAs detaches a request of newDetachable.
func detachAs(r *http.Request, id string, streams bool) bool {
	d := detachableOf(r)
	d.host.tasks.reserve("o", d)
	d.reserved = "o"
	return d.detach(id, []byte(`{"status":"queued","error":null}`), streams, failure{})
}

// TestTaskForgotten: a task that is forgotten while it runs, or while a listener reads, gives its memory back
// once, after both.
func TestTaskForgotten(t *testing.T) {
	for _, order := range []string{"request listener", "listener request"} {
		s := newTasks(1 << 20)
		task, _ := begin(t, s, "o", "i")
		s.leave(task) // the creator
		listens := s.listens(task)
		require.NoError(t, task.write([]byte(event("x", 0, "1"))))
		s.forget("o", "i")
		assert.Nil(t, s.find("o", "i"))
		require.NoError(t, task.write(make([]byte, 1<<19)))
		for _, user := range strings.Fields(order) {
			assert.Equal(t, task.charged, s.memory.taken, order)
			assert.Greater(t, task.charged, 1<<19, order)
			if user == "listener" {
				listens()
				continue
			}
			s.end(task, errTaskCancelled)
		}
		assert.Zero(t, s.memory.taken, order)
		s.listens(task)()
		assert.Zero(t, s.memory.taken, order)
		assert.Empty(t, s.over, order)
	}
}

// TestTaskEndIsCharged: the events that end a task take memory, too.
func TestTaskEndIsCharged(t *testing.T) {
	s := newTasks(0)
	task, _ := begin(t, s, "o", "i")
	task.queued = []byte(`{"status":"queued","error":null,"instructions":"` + strings.Repeat("x", 1<<20) + `"}`)
	s.end(task, errTaskBroken)
	assert.GreaterOrEqual(t, s.memory.taken, len(task.events))
	assert.Greater(t, len(task.events), 1<<20)
}

// TestTaskIsFreed: nothing holds the events of a task that is forgotten.
func TestTaskIsFreed(t *testing.T) {
	h := &Host{tasks: newTasks(0), patience: usualPatience}
	var freed weak.Pointer[task]
	newDetachable(h, httptest.NewRecorder(), httptest.NewRequest("POST", "/", nil)).serve(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			assert.True(t, detachAs(r, "i", false))
			freed = weak.Make(h.tasks.find("o", "i"))
		}))
	h.CloseTasks(t.Context())
	runtime.GC()
	assert.NotNil(t, freed.Value())
	h.tasks.forget("o", "i")
	runtime.GC()
	assert.Nil(t, freed.Value())
}

// TestTaskEndAll: endAll ends and forgets all tasks of its owner, only those, and takes the places of
// requests that are no tasks yet.
func TestTaskEndAll(t *testing.T) {
	s := newTasks(1 << 20)
	other, otherWhy := begin(t, s, "other", "i")
	running, why := begin(t, s, "o", "i")
	ended, _ := begin(t, s, "o", "j")
	s.end(ended, errTaskBroken)
	for _, task := range []*task{running, ended} {
		s.leave(task) // the creator
	}
	late := &detachable{}
	require.True(t, s.reserve("o", late))
	gone, leave := context.WithCancel(t.Context())
	leave()
	s.endAll(gone, "o")
	assert.ErrorIs(t, *why, errTaskUnreadable)
	assert.NoError(t, *otherWhy)
	assert.Nil(t, s.find("o", "i"))
	assert.Nil(t, s.find("o", "j"))
	assert.Same(t, other, s.find("other", "i"))
	assert.Nil(t, s.begin(late, "o", "k", nil, failure{}))
	s.unreserve(late)
	assert.Equal(t, map[string]int{"other": 1}, s.places.of)
	s.end(running, *why)
	assert.Equal(t, other.charged, s.memory.taken)
	assert.Empty(t, s.over)
}
