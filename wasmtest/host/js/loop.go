package host

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// errHang is the error of a loop in which nothing is left that could make it go on.
var errHang = errors.New("the program waits for nothing: no response, no pending input or output, no timer")

// fatal is the panic that ends an instance: a trap, or a use of the host that breaks the contract.
type fatal struct{ err error }

func (f *fatal) Error() string { return f.err.Error() }

func (f *fatal) Unwrap() error { return f.err }

// stop ends the instance for which the current turn runs.
func stop(format string, args ...any) {
	panic(&fatal{fmt.Errorf(format, args...)})
}

// loop is the event loop of one instance. All methods but post must be called by the goroutine that
// calls run.
type loop struct {
	microtasks []func()
	pending    int // async work and timers whose turn has not come
	work       sync.WaitGroup

	mu     sync.Mutex
	posted []func()
	wake   chan struct{} // has an element after each post, at most one
}

func newLoop() *loop { return &loop{wake: make(chan struct{}, 1)} }

// post adds a turn. It may be called by any goroutine, and never waits.
func (l *loop) post(turn func()) {
	l.mu.Lock()
	l.posted = append(l.posted, turn)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// microtask adds a task to run at the end of the current turn.
func (l *loop) microtask(task func()) { l.microtasks = append(l.microtasks, task) }

// later runs turn as a turn of its own. The loop waits for it.
func (l *loop) later(turn func()) {
	l.pending++
	l.post(func() {
		l.pending--
		turn()
	})
}

// async runs work on a goroutine, and the function that work returns as a turn. The loop waits for
// it, and so does the end of the exchange.
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

// detach is async, except that the end of the exchange does not wait: the client's body may end
// before work does.
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

// guarded runs work. Where work panics, it returns a turn that ends the instance, so that the
// process and other requests go on.
func guarded(work func() (turn func())) (turn func()) {
	defer func() {
		if r := recover(); r != nil {
			err := panicked(r)
			turn = func() { panic(&fatal{err}) }
		}
	}()
	return work()
}

// panicked returns the error for a panic in the host's own code.
func panicked(r any) error { return fmt.Errorf("the host panicked: %v\n%s", r, debug.Stack()) }

// timer is a turn that comes after some time.
type timer struct {
	loop  *loop
	timer *time.Timer
	over  bool
}

// after runs turn once d has passed. The loop waits for it.
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

// end cancels t, and reports whether its turn was still to come. It does nothing to a nil timer.
func (t *timer) end() bool {
	if t == nil || t.over {
		return false
	}
	t.over = true
	t.loop.pending--
	t.timer.Stop()
	return true
}

// run runs turns until done, which it asks after each turn, returns true. Its error is what ended
// the instance before that.
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

// next waits for the next turn and returns it, or nil when the loop is done.
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

// drain runs microtasks until none is left, with those that they add.
func (l *loop) drain() {
	for len(l.microtasks) > 0 {
		task := l.microtasks[0]
		l.microtasks = l.microtasks[1:]
		task()
	}
}
