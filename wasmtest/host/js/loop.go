package js

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// ErrHang is the error of a loop in which nothing is left that could make it go on.
var ErrHang = errors.New("the program waits for nothing: no response, no pending input or output, no timer")

// Fatal is the panic that ends an instance: a trap, or a use of the host that breaks the contract.
type Fatal struct{ Err error }

func (f *Fatal) Error() string { return f.Err.Error() }

func (f *Fatal) Unwrap() error { return f.Err }

// Stop ends the instance for which the current turn runs.
func Stop(format string, args ...any) {
	panic(&Fatal{fmt.Errorf(format, args...)})
}

// Loop is the event loop of one instance. All methods but post must be called by the goroutine that
// calls run.
type Loop struct {
	microtasks []func()
	pending    int // async work and timers whose turn has not come
	work       sync.WaitGroup

	mu     sync.Mutex
	posted []func()
	wake   chan struct{} // has an element after each post, at most one
}

func NewLoop() *Loop { return &Loop{wake: make(chan struct{}, 1)} }

// Post adds a turn. It may be called by any goroutine, and never waits.
func (l *Loop) Post(turn func()) {
	l.mu.Lock()
	l.posted = append(l.posted, turn)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// microtask adds a task to run at the end of the current turn.
func (l *Loop) microtask(task func()) { l.microtasks = append(l.microtasks, task) }

// Later runs turn as a turn of its own. The loop waits for it.
func (l *Loop) Later(turn func()) {
	l.pending++
	l.Post(func() {
		l.pending--
		turn()
	})
}

// Async runs work on a goroutine, and the function that work returns as a turn. The loop waits for
// it, and so does the end of the exchange.
func (l *Loop) Async(work func() (turn func())) {
	l.pending++
	l.work.Go(func() {
		turn := guarded(work)
		l.Post(func() {
			l.pending--
			turn()
		})
	})
}

// Wait waits for the end of all work that async has started.
func (l *Loop) Wait() { l.work.Wait() }

// Detach is async, except that the end of the exchange does not wait: the client's body may end
// before work does.
func (l *Loop) Detach(work func() (turn func())) {
	l.pending++
	go func() {
		turn := guarded(work)
		l.Post(func() {
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
			err := Panicked(r)
			turn = func() { panic(&Fatal{err}) }
		}
	}()
	return work()
}

// Panicked returns the error for a panic in the host's own code.
func Panicked(r any) error { return fmt.Errorf("the host panicked: %v\n%s", r, debug.Stack()) }

// Timer is a turn that comes after some time.
type Timer struct {
	loop  *Loop
	timer *time.Timer
	over  bool
}

// After runs turn once d has passed. The loop waits for it.
func (l *Loop) After(d time.Duration, turn func()) *Timer {
	t := &Timer{loop: l}
	l.pending++
	t.timer = time.AfterFunc(d, func() {
		l.Post(func() {
			if t.End() {
				turn()
			}
		})
	})
	return t
}

// End cancels t, and reports whether its turn was still to come. It does nothing to a nil timer.
func (t *Timer) End() bool {
	if t == nil || t.over {
		return false
	}
	t.over = true
	t.loop.pending--
	t.timer.Stop()
	return true
}

// Run runs turns until done, which it asks after each turn, returns true. Its error is what ended
// the instance before that.
func (l *Loop) Run(done func() bool) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if f, ok := r.(*Fatal); ok {
				err = f.Err
			} else {
				err = Panicked(r)
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
func (l *Loop) next(done func() bool) func() {
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
			panic(&Fatal{ErrHang})
		}
		<-l.wake
	}
}

// drain runs microtasks until none is left, with those that they add.
func (l *Loop) drain() {
	for len(l.microtasks) > 0 {
		task := l.microtasks[0]
		l.microtasks = l.microtasks[1:]
		task()
	}
}

// Caught runs enter, which calls the program after the end of its loop, and returns why the
// instance died, if it did.
func Caught(enter func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(*Fatal)
			if !ok {
				panic(r)
			}
			err = f.Err
		}
	}()
	enter()
	return nil
}
