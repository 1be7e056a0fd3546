package js

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// ErrHang is the error of a loop that has nothing left to run or to wait for.
var ErrHang = errors.New("the program waits for nothing: no response, no pending input or output, no timer")

// Fatal is the panic that ends an instance: a trap, or a use of the host that breaks the contract.
type Fatal struct{ Err error }

func (f *Fatal) Error() string { return f.Err.Error() }

func (f *Fatal) Unwrap() error { return f.Err }

// Stop ends the instance that the current tick belongs to.
func Stop(format string, args ...any) {
	panic(&Fatal{fmt.Errorf(format, args...)})
}

// Loop is the event loop of an instance. Only the goroutine that calls Run may call its methods,
// except Post.
type Loop struct {
	microtasks []func()
	pending    int      // unfinished async work and timers
	timers     []*Timer // those that have not ended
	work       sync.WaitGroup

	mu     sync.Mutex
	posted []func()
	wake   chan struct{} // has at most one element, added after each post
}

func NewLoop() *Loop { return &Loop{wake: make(chan struct{}, 1)} }

// Post adds a tick. Any goroutine may call Post, and it never blocks.
func (l *Loop) Post(tick func()) {
	l.mu.Lock()
	l.posted = append(l.posted, tick)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// microtask adds a task to run at the end of the current tick.
func (l *Loop) microtask(task func()) { l.microtasks = append(l.microtasks, task) }

// Later runs tick as a separate tick. The loop waits for the tick.
func (l *Loop) Later(tick func()) {
	l.pending++
	l.Post(func() {
		l.pending--
		tick()
	})
}

// Async runs work on a goroutine, and the function that work returns as a tick. The loop waits for
// the tick, and the end of the request waits for work (Wait).
func (l *Loop) Async(work func() (tick func())) {
	l.pending++
	l.work.Go(func() {
		tick := guarded(work)
		l.Post(func() {
			l.pending--
			tick()
		})
	})
}

// Wait waits for the end of all work that Async has started.
func (l *Loop) Wait() { l.work.Wait() }

// Detach is Async, except that the end of the request does not wait: the client's body may end
// before work does.
func (l *Loop) Detach(work func() (tick func())) {
	l.pending++
	go func() {
		tick := guarded(work)
		l.Post(func() {
			l.pending--
			tick()
		})
	}()
}

// guarded runs work. If work panics, guarded returns a tick that ends the instance. The process and
// other requests continue.
func guarded(work func() (tick func())) (tick func()) {
	defer func() {
		if r := recover(); r != nil {
			err := Panicked(r)
			tick = func() { panic(&Fatal{err}) }
		}
	}()
	return work()
}

// Panicked returns the error for a panic in the host's own code.
func Panicked(r any) error { return fmt.Errorf("the host panicked: %v\n%s", r, debug.Stack()) }

// Timer is a tick that runs after some time.
type Timer struct {
	loop  *Loop
	timer *time.Timer
	at    int // the index in loop.timers
	over  bool
}

// After runs tick after d. The loop waits for the tick.
func (l *Loop) After(d time.Duration, tick func()) *Timer {
	t := &Timer{loop: l, at: len(l.timers)}
	l.timers = append(l.timers, t)
	l.pending++
	t.timer = time.AfterFunc(d, func() {
		l.Post(func() {
			if t.End() {
				tick()
			}
		})
	})
	return t
}

// End cancels t, and reports whether the tick was still pending. A nil timer is ignored.
func (t *Timer) End() bool {
	if t == nil || t.over {
		return false
	}
	t.over = true
	t.timer.Stop()
	l := t.loop
	l.pending--
	last := len(l.timers) - 1
	l.timers[t.at], l.timers[last].at = l.timers[last], t.at
	l.timers[last] = nil
	l.timers = l.timers[:last]
	return true
}

// Run runs ticks until done, called after each tick, returns true. The error is the reason why the
// instance ended before then. Run ends all timers, which would retain the request until they fire:
// an upstream may be silent for minutes.
func (l *Loop) Run(done func() bool) (err error) {
	defer func() {
		for len(l.timers) > 0 {
			l.timers[0].End()
		}
	}()
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
		tick := l.next(done)
		if tick == nil {
			return nil
		}
		tick()
		l.drain()
	}
}

// next waits for the next tick, and returns it, or nil when the loop is done.
func (l *Loop) next(done func() bool) func() {
	for {
		if done() {
			return nil
		}
		l.mu.Lock()
		if len(l.posted) > 0 {
			tick := l.posted[0]
			l.posted = l.posted[1:]
			l.mu.Unlock()
			return tick
		}
		l.mu.Unlock()
		if l.pending == 0 {
			panic(&Fatal{ErrHang})
		}
		<-l.wake
	}
}

// drain runs all microtasks, including those added meanwhile.
func (l *Loop) drain() {
	for len(l.microtasks) > 0 {
		task := l.microtasks[0]
		l.microtasks = l.microtasks[1:]
		task()
	}
}

// Caught runs enter, which calls the program after the end of its loop, and returns the reason if
// the instance died.
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
