package js

// Promise is a Promise (ECMA-262, section 27.2).
type Promise struct {
	loop      *Loop
	resolved  bool // [[AlreadyResolved]]: resolve and reject have no effect any more
	state     promiseState
	result    Value
	reactions []func() // run in microtasks once the state is fulfilled or rejected
}

type promiseState int

const (
	pending promiseState = iota
	fulfilled
	rejected
)

func NewPromise(l *Loop) *Promise { return &Promise{loop: l} }

func (p *Promise) Kind() string { return "Promise" }

func (p *Promise) Get(key string) (v Value, known bool) {
	switch key {
	case "then":
		return Method(key, func(args []Value) (Value, error) {
			return p.then(Argument(args, 0), Argument(args, 1)), nil
		}), true
	case "catch":
		return Method(key, func(args []Value) (Value, error) {
			return p.then(nil, Argument(args, 0)), nil
		}), true
	}
	return nil, false
}

// resolve fulfills p with v or, if v is a promise, makes p follow v.
func (p *Promise) resolve(v Value) {
	if p.resolved {
		return
	}
	p.resolved = true
	if v == p {
		p.settle(rejected, &Error{Name: "TypeError", Message: "Chaining cycle detected for promise"})
		return
	}
	if followed, ok := v.(*Promise); ok {
		// A followed promise is subscribed to in a microtask: NewPromiseResolveThenableJob, section
		// 27.2.2.2.
		p.loop.microtask(func() {
			followed.React(func() { p.settle(followed.state, followed.result) })
		})
		return
	}
	p.settle(fulfilled, v)
}

func (p *Promise) reject(reason Value) {
	if p.resolved {
		return
	}
	p.resolved = true
	p.settle(rejected, reason)
}

func (p *Promise) settle(state promiseState, result Value) {
	p.state, p.result = state, result
	for _, reaction := range p.reactions {
		p.loop.microtask(reaction)
	}
	p.reactions = nil
}

// Outcome returns the result of a fulfilled or rejected promise.
func (p *Promise) Outcome() (result Value, failed bool) { return p.result, p.state == rejected }

// React runs reaction in a microtask, once p is fulfilled or rejected.
func (p *Promise) React(reaction func()) {
	if p.state == pending {
		p.reactions = append(p.reactions, reaction)
		return
	}
	p.loop.microtask(reaction)
}

// then calls one of two functions of the program once p is fulfilled or rejected. If the argument
// for p's state is not a function, the returned promise gets p's result.
func (p *Promise) then(onFulfilled, onRejected Value) *Promise {
	derived := NewPromise(p.loop)
	p.React(func() {
		handler := onFulfilled
		if p.state == rejected {
			handler = onRejected
		}
		f, ok := handler.(*Function)
		switch {
		case ok:
			v, err := f.Call(nil, []Value{p.result})
			derived.Follow(v, err)
		case p.state == rejected:
			derived.reject(p.result)
		default:
			derived.resolve(p.result)
		}
	})
	return derived
}

// Follow settles p with the result or the exception of a call.
func (p *Promise) Follow(v Value, err error) {
	if err != nil {
		p.reject(err.(*thrown).value)
		return
	}
	p.resolve(v)
}

// promiseClass returns the constructor Promise.
func promiseClass(l *Loop) *Class {
	return &Class{
		name: "Promise",
		Has:  func(v Value) bool { _, ok := v.(*Promise); return ok },
		Construct: func(args []Value) (Value, error) {
			executor, ok := Argument(args, 0).(*Function)
			if !ok {
				return nil, throwTypeError("Promise resolver %s is not a function",
					Describe(Argument(args, 0)))
			}
			p := NewPromise(l)
			resolve := Method("resolve", func(args []Value) (Value, error) {
				p.resolve(Argument(args,
					0))
				return nil, nil
			})
			reject := Method("reject", func(args []Value) (Value, error) {
				p.reject(Argument(args,
					0))
				return nil, nil
			})
			if _, err := executor.Call(nil, []Value{resolve, reject}); err != nil {
				p.reject(err.(*thrown).value)
			}
			return p, nil
		},
	}
}
