package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"slices"
	"sync"

	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/store"
)

// task is a response that is made in the background. It keeps the events of the response's stream for
// its listeners.
type task struct {
	tasks     *tasks
	owner, id string
	cancel    context.CancelCauseFunc // ends the request that makes the response
	ended     chan struct{}           // closed when that request has ended
	failure   failure

	// guarded by tasks.mu
	charged int // bytes of tasks.memory
	users   int // the request, the listeners, and tasks.of; the last one gives the memory back

	mu     sync.Mutex // of all members below
	queued []byte     // the response before its first event
	events []byte     // whole events, and then the beginning of one
	ends   []int      // where each event ends; an event's index is its sequence_number
	// no event ends before this position after the last end
	scanned   int
	state     span // in events: the latest event with the response; empty: none
	final     bool // the last event has come
	failed    bool // the last event is response.failed
	over      bool
	comments  int // comments that have come. They keep connections open, and are no events
	comment   []byte
	listeners map[chan struct{}]bool // each gets an element after a change
}

// span is a range of bytes.
type span struct{ from, to int }

// maxTask is the maximum size of the events of a task. An answer of 128,000 tokens, each an event of its
// own, takes about 24 MB.
const maxTask = 64 << 20

// Reasons why a task ends before its response is complete.
var (
	errTaskTooLarge = errors.New("The events of the background response take more memory than there is for " +
		"them.")
	errTaskTooLong   = errors.New("The background response took more than 6 hours.")
	errTaskCancelled = errors.New("The response was cancelled.")
	errTaskShutDown  = errors.New("The server was shut down. Send the request again.")
	errTaskBroken    = errors.New("The response broke off. Send the request again.")
	// also if the endpoint stores no responses any more
	errTaskUnreadable = errors.New("The endpoint was disabled, deleted or changed.")
)

// write adds a piece of the stream.
func (t *task) write(p []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.grow(len(p)) {
		t.cancel(errTaskTooLarge)
		return errTaskTooLarge
	}
	t.events = append(t.events, p...)
	t.split()
	t.wake()
	return nil
}

// grow makes room for n more bytes, and reports whether there is room.
func (t *task) grow(n int) bool {
	need, size := len(t.events)+n, cap(t.events)
	if need <= size {
		return true
	}
	size = min(max(need, size+size/2, 16<<10), maxTask)
	if need > size || !t.tasks.charge(t, size-cap(t.events)) {
		return false
	}
	t.events = append(make([]byte, 0, size), t.events...)
	return true
}

// whole returns where the last whole event ends.
func (t *task) whole() int {
	if len(t.ends) == 0 {
		return 0
	}
	return t.ends[len(t.ends)-1]
}

// split finds the events that have become whole. A comment is a line between two events.
func (t *task) split() {
	for {
		from := t.whole()
		rest := t.events[from:]
		if len(rest) > 0 && rest[0] == ':' {
			line, more, found := bytes.Cut(rest, []byte("\n"))
			if !found {
				return
			}
			t.comment = append(append(t.comment[:0], line...), '\n')
			t.comments++
			t.events = append(t.events[:from], more...)
			continue
		}
		end := bytes.Index(rest[t.scanned:], []byte("\n\n"))
		if end < 0 {
			t.scanned = max(len(rest)-1, 0)
			return
		}
		end += t.scanned + len("\n\n")
		t.scanned = 0
		t.ends = append(t.ends, from+end)
		t.note(span{from, from + end})
	}
}

// note notes an event that has the response.
func (t *task) note(event span) {
	name, _, _ := bytes.Cut(t.events[event.from:event.to], []byte("\n"))
	switch string(bytes.TrimPrefix(name, []byte("event: "))) {
	case "response.failed":
		t.failed = true
		fallthrough
	case "response.completed", "response.incomplete":
		t.final = true
		fallthrough
	case "response.created", "response.in_progress":
		t.state = event
	}
}

// response returns the latest state of the response, as JSON.
func (t *task) response() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.latest()
}

func (t *task) latest() []byte {
	if t.state.to == 0 {
		return t.queued
	}
	_, data, _ := bytes.Cut(t.events[t.state.from:t.state.to], []byte("\ndata: "))
	return []byte(gjson.GetBytes(data, "response").Raw)
}

// count returns the number of events so far.
func (t *task) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.ends)
}

// end ends the task after its request. A task whose stream lacks the end gets events that say why.
func (t *task) end(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if !t.final {
		t.events = t.events[:t.whole()]
		last := failedEvents(len(t.ends), t.latest(), why)
		t.grow(len(last)) // a task over its bounds has these events, too
		t.events = append(t.events, last...)
		t.scanned = 0
		t.split()
	}
	t.wake()
}

// failure stores the response of a task that has failed. Without statements it does nothing.
type failure struct {
	log        *log.Logger
	store      Store
	object     string
	statements []store.Statement // the last one gets the response as a further argument
}

// maxFailed is the maximum size of a failed response that is stored with its output: a blob's size in
// the statements of the program (worker/stored/archive).
const maxFailed = 1 << 20

// storeFailure stores the response if the task, which has ended, has failed. Whatever fails here is
// logged: readers get the response that the program has stored at first.
func (t *task) storeFailure() {
	t.mu.Lock()
	response, failed := t.latest(), t.failed
	t.mu.Unlock()
	f := &t.failure
	if !failed || len(f.statements) == 0 {
		return
	}
	last := &f.statements[len(f.statements)-1]
	args := slices.Clip(last.Args)
	if len(response) <= maxFailed {
		last.Args = append(args, response)
		if _, err := f.store.Batch(f.object, f.statements); err == nil {
			return
		}
	}
	// without its output the response may have room
	last.Args = append(args, replaced(response, "output", "[]"))
	if _, err := f.store.Batch(f.object, f.statements); err != nil {
		f.log.Printf("a failed background response was not stored: %v", err)
	}
}

// failedEvents returns the last events of a task whose response is not complete: an error, at which
// SDKs throw, and the response. number is the first event's.
func failedEvents(number int, response []byte, why error) []byte {
	status, code := "failed", "server_error"
	if why == errTaskCancelled { // OpenAI names no event for it
		status, code = "cancelled", "response_cancelled"
	}
	message, err := json.Marshal(why.Error())
	if err != nil {
		panic(err) // can't happen: it is a string
	}
	response = replaced(response, "status", `"`+status+`"`)
	if status == "failed" {
		response = replaced(response, "error", fmt.Sprintf(`{"code":%q,"message":%s}`, code, message))
	}
	return fmt.Appendf(nil, "event: error\ndata: {\"type\":\"error\",\"sequence_number\":%d,\"code\":%q,"+
		"\"message\":%s,\"param\":null,\"error\":{\"message\":%s,\"type\":\"server_error\",\"param\":null,"+
		"\"code\":%q}}\n\nevent: response.failed\ndata: {\"type\":\"response.failed\","+
		"\"sequence_number\":%d,\"response\":%s}\n\n", number, code, message, message, code, number+1,
		response)
}

// replaced returns an object with another value of a member.
func replaced(object []byte, key, value string) []byte {
	v := gjson.GetBytes(object, key)
	if !v.Exists() {
		return object
	}
	return append(append(append([]byte(nil), object[:v.Index]...), value...), object[v.Index+len(v.Raw):]...)
}

// wake tells the listeners about a change.
func (t *task) wake() {
	for l := range t.listeners {
		select {
		case l <- struct{}{}:
		default:
		}
	}
}

// follow writes the events from number first on to out, as they come, until the last one. err is out's,
// or the context's.
func (t *task) follow(ctx context.Context, first int, out *patientWriter) error {
	if err := out.Flush(); err != nil { // the client gets the head before the next event
		return err
	}
	wake := make(chan struct{}, 1)
	t.mu.Lock()
	t.listeners[wake] = true
	at, comments := 0, t.comments
	if first > 0 {
		at = t.ends[first-1]
	}
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		delete(t.listeners, wake)
		t.mu.Unlock()
	}()
	for {
		t.mu.Lock()
		// bytes of whole events never change
		piece, over := t.events[at:t.whole()], t.over
		if len(piece) == 0 && t.comments != comments {
			piece = bytes.Clone(t.comment)
		} else {
			at += len(piece)
		}
		comments = t.comments
		t.mu.Unlock()
		if len(piece) == 0 && over {
			return nil
		}
		if len(piece) == 0 {
			select {
			case <-wake:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if _, err := out.Write(piece); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
}
