package host

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// errHang is what a loop ends with when nothing is left that could make it go on.
var errHang = errors.New("the program waits for nothing: no response, no pending input or output, no timer")

// fatal is the panic that ends an instance: a trap, or a use of the host that it does not know.
type fatal struct{ err error }

func (f *fatal) Error() string { return f.err.Error() }

func (f *fatal) Unwrap() error { return f.err }

// stop ends the instance that the current turn works for.
func stop(format string, args ...any) {
	panic(&fatal{fmt.Errorf(format, args...)})
}

// loop is the event loop of one instance. All methods but post belong to the goroutine that calls run.
type loop struct {
	microtasks []func()
	pending    int // async work and timers that have not come to their turn
	work       sync.WaitGroup

	mu     sync.Mutex
	posted []func()
	wake   chan struct{} // has an element after a post
}

func newLoop() *loop { return &loop{wake: make(chan struct{}, 1)} }

// post adds a turn. It is the only way into the loop from another goroutine, and it never waits.
func (l *loop) post(turn func()) {
	l.mu.Lock()
	l.posted = append(l.posted, turn)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// microtask adds work to the end of the current turn.
func (l *loop) microtask(task func()) { l.microtasks = append(l.microtasks, task) }

// later runs turn in a turn of its own.
func (l *loop) later(turn func()) {
	l.pending++
	l.post(func() {
		l.pending--
		turn()
	})
}

// async runs work on a goroutine, and the function that work returns as a turn.
func (l *loop) async(work func() (turn func())) {
	l.pending++
	l.work.Go(func() {
		turn := guarded(work)
		l.post(func() {
			l.pending--
			turn()
		})
	})
}

// detach runs work as async does, but nobody waits for it when the exchange is over: the client's body ends before it.
func (l *loop) detach(work func() (turn func())) {
	l.pending++
	go func() {
		turn := guarded(work)
		l.post(func() {
			l.pending--
			turn()
		})
	}()
}

// guarded runs work. If that panics, the turn ends the instance: no other is touched.
func guarded(work func() (turn func())) (turn func()) {
	defer func() {
		if r := recover(); r != nil {
			err := panicked(r)
			turn = func() { panic(&fatal{err}) }
		}
	}()
	return work()
}

// panicked describes a panic of the host's own.
func panicked(r any) error { return fmt.Errorf("the host panicked: %v\n%s", r, debug.Stack()) }

// timer is a turn that is to come.
type timer struct {
	loop  *loop
	timer *time.Timer
	over  bool
}

// after runs turn once d has passed.
func (l *loop) after(d time.Duration, turn func()) *timer {
	t := &timer{loop: l}
	l.pending++
	t.timer = time.AfterFunc(d, func() {
		l.post(func() {
			if t.end() {
				turn()
			}
		})
	})
	return t
}

// end reports whether t was still to come. It does nothing to a nil timer.
func (t *timer) end() bool {
	if t == nil || t.over {
		return false
	}
	t.over = true
	t.loop.pending--
	t.timer.Stop()
	return true
}

// run runs turns until done, which it asks after each one. It returns what ended the instance otherwise.
func (l *loop) run(done func() bool) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if f, ok := r.(*fatal); ok {
				err = f.err
			} else {
				err = panicked(r)
			}
		}
	}()
	for {
		turn := l.next(done)
		if turn == nil {
			return nil
		}
		turn()
		l.drain()
	}
}

// next waits for the next turn. It returns nil when the loop is done.
func (l *loop) next(done func() bool) func() {
	for {
		if done() {
			return nil
		}
		l.mu.Lock()
		if len(l.posted) > 0 {
			turn := l.posted[0]
			l.posted = l.posted[1:]
			l.mu.Unlock()
			return turn
		}
		l.mu.Unlock()
		if l.pending == 0 {
			panic(&fatal{errHang})
		}
		<-l.wake
	}
}

// drain runs microtasks until none is left, those that it adds too.
func (l *loop) drain() {
	for len(l.microtasks) > 0 {
		task := l.microtasks[0]
		l.microtasks = l.microtasks[1:]
		task()
	}
}
