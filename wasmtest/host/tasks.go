package host

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Bounds of tasks, beside the memory of their events.
const (
	// running tasks of one owner. The number of all running requests is the server's
	maxTasks = 64
	// the longest run of a task: an endless upstream is not ended by a leaving client
	taskLifetime = 6 * time.Hour
	// how long the events of a task are kept after its end. OpenAI keeps the data of a background response
	// for roughly 10 minutes (guide "Background mode")
	taskTime = 10 * time.Minute
)

// tasks are the background responses of a host: running ones, and ones ended in the last minutes.
type tasks struct {
	places *shares // running tasks, by owner
	memory *shares // bytes of events, by owner

	running sync.WaitGroup // running tasks and listeners

	mu       sync.Mutex
	isClosed bool
	requests map[*detachable]string // requests with a place, detached or not, and their owners
	of       map[taskKey]*task
	over     []*task // the ended ones among them, in the order of their ends
}

// taskKey identifies a task by owner and id: other owners can't reach the task.
type taskKey struct{ owner, id string }

func newTasks(memory int) *tasks {
	return &tasks{places: newShares(0), memory: newShares(memory),
		requests: map[*detachable]string{}, of: map[taskKey]*task{}}
}

// reserve takes a place of the owner for a request, and reports whether there was one.
func (s *tasks) reserve(owner string, d *detachable) bool {
	if !s.places.take(owner, 1, maxTasks) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[d] = owner
	return true
}

// unreserve gives a request's place back, if it has one.
func (s *tasks) unreserve(d *detachable) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.vacate(d)
}

// vacate is unreserve with the lock.
func (s *tasks) vacate(d *detachable) {
	if owner, ok := s.requests[d]; ok {
		s.places.give(owner, 1)
		delete(s.requests, d)
	}
}

// begin makes a request with a place of the owner a task, with the creator as the first listener. failed
// stores the response if it fails. nil: no memory is left, endAll has taken the place, or the host shuts
// down.
func (s *tasks) begin(d *detachable, owner, id string, queued []byte, failed failure) *task {
	t := &task{tasks: s, owner: owner, id: id, cancel: d.cancel, queued: queued, failure: failed,
		ended: make(chan struct{}), listeners: map[chan struct{}]bool{}, users: 3}
	if !s.charge(t, len(queued)+1) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, reserved := s.requests[d]; s.isClosed || !reserved {
		s.memory.give(owner, t.charged)
		return nil
	}
	s.of[taskKey{owner, id}] = t
	s.running.Add(2)
	return t
}

// endAll ends the owner's running tasks, waits for their ends or until ctx is done, and forgets all tasks
// of the owner. Its requests that are no tasks yet lose their places, and can't become tasks.
func (s *tasks) endAll(ctx context.Context, owner string) {
	var all []*task
	s.mu.Lock()
	for d, of := range s.requests {
		if of == owner {
			s.vacate(d)
		}
	}
	for key, t := range s.of {
		if key.owner == owner {
			t.cancel(errTaskUnreadable)
			all = append(all, t)
		}
	}
	s.mu.Unlock()
	for _, t := range all {
		select {
		case <-t.ended:
		case <-ctx.Done():
		}
		s.forget(owner, t.id)
	}
}

// listens counts a listener of a task. The returned function ends it.
func (s *tasks) listens(t *task) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.users++
	if s.isClosed { // CloseTasks does not wait for the listener
		return func() { s.release(t) }
	}
	s.running.Add(1)
	return func() { s.leave(t) }
}

// leave ends the request of a task, or a listener.
func (s *tasks) leave(t *task) {
	s.release(t)
	s.running.Done()
}

// release gives a task's memory back at the end of the last user: a slow listener still holds the events
// of a forgotten task.
func (s *tasks) release(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unuse(t)
}

// unuse is release with the lock.
func (s *tasks) unuse(t *task) {
	if t.users--; t.users == 0 {
		s.memory.give(t.owner, t.charged)
		t.charged = 0
	}
}

// find returns a task, or nil.
func (s *tasks) find(owner, id string) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of[taskKey{owner, id}]
}

// charge takes n bytes for a task. Ended tasks of the owner make room, the oldest first.
func (s *tasks) charge(t *task, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.memory.take(t.owner, n, 0) {
		if !s.makeRoom(t.owner) {
			return false
		}
	}
	t.charged += n
	return true
}

// makeRoom forgets the owner's oldest ended task without listeners, and reports whether there was one.
func (s *tasks) makeRoom(owner string) bool {
	for _, t := range s.over {
		if t.owner == owner && t.users == 1 {
			s.drop(t)
			return true
		}
	}
	return false
}

// end ends a task whose request has ended.
func (s *tasks) end(t *task, why error) {
	t.end(why)
	t.storeFailure()
	s.mu.Lock()
	if s.of[taskKey{t.owner, t.id}] == t {
		s.over = append(s.over, t)
	}
	s.mu.Unlock()
	close(t.ended)
	s.leave(t)
	// The timer must not hold a task that is forgotten earlier.
	owner, id := t.owner, t.id
	time.AfterFunc(taskTime, func() { s.forget(owner, id) })
}

// forget forgets a task, usually one that has ended.
func (s *tasks) forget(owner, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.of[taskKey{owner, id}]; t != nil {
		s.drop(t)
	}
}

// drop forgets a task of s.of, with the lock.
func (s *tasks) drop(t *task) {
	delete(s.of, taskKey{t.owner, t.id})
	s.over = slices.DeleteFunc(s.over, func(other *task) bool { return other == t })
	s.unuse(t)
}

// CloseTasks ends all background responses as failed, tells their listeners, and waits for both until ctx
// is done.
func (h *Host) CloseTasks(ctx context.Context) {
	s := h.tasks
	s.mu.Lock()
	s.isClosed = true
	for _, t := range s.of {
		t.cancel(errTaskShutDown)
	}
	s.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		s.running.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-ctx.Done():
	}
}
