package host

// promise is a Promise (ECMA-262, section 27.2).
type promise struct {
	loop      *loop
	resolved  bool // [[AlreadyResolved]]: resolve and reject have no effect any more
	state     promiseState
	result    value
	reactions []func() // run in microtasks once the state is fulfilled or rejected
}

type promiseState int

const (
	pending promiseState = iota
	fulfilled
	rejected
)

func newPromise(l *loop) *promise { return &promise{loop: l} }

func (p *promise) kind() string { return "Promise" }

func (p *promise) get(key string) (v value, known bool) {
	switch key {
	case "then":
		return method(key, func(args []value) (value, error) {
			return p.then(argument(args, 0), argument(args, 1)), nil
		}), true
	case "catch":
		return method(key, func(args []value) (value, error) {
			return p.then(nil, argument(args, 0)), nil
		}), true
	}
	return nil, false
}

// resolve fulfills p with v or, where v is a promise, makes p follow it.
func (p *promise) resolve(v value) {
	if p.resolved {
		return
	}
	p.resolved = true
	if v == p {
		p.settle(rejected, &jsError{name: "TypeError", message: "Chaining cycle detected for promise"})
		return
	}
	if followed, ok := v.(*promise); ok {
		// A followed promise is subscribed to in a microtask: NewPromiseResolveThenableJob, section
		// 27.2.2.2.
		p.loop.microtask(func() {
			followed.react(func() { p.settle(followed.state, followed.result) })
		})
		return
	}
	p.settle(fulfilled, v)
}

func (p *promise) reject(reason value) {
	if p.resolved {
		return
	}
	p.resolved = true
	p.settle(rejected, reason)
}

func (p *promise) settle(state promiseState, result value) {
	p.state, p.result = state, result
	for _, reaction := range p.reactions {
		p.loop.microtask(reaction)
	}
	p.reactions = nil
}

// react runs reaction in a microtask, once p is fulfilled or rejected.
func (p *promise) react(reaction func()) {
	if p.state == pending {
		p.reactions = append(p.reactions, reaction)
		return
	}
	p.loop.microtask(reaction)
}

// then calls one of two functions of the program once p is fulfilled or rejected. Where that is no
// function, the promise that then returns takes over p's result.
func (p *promise) then(onFulfilled, onRejected value) *promise {
	derived := newPromise(p.loop)
	p.react(func() {
		handler := onFulfilled
		if p.state == rejected {
			handler = onRejected
		}
		f, ok := handler.(*function)
		switch {
		case ok:
			v, err := f.call(nil, []value{p.result})
			derived.follow(v, err)
		case p.state == rejected:
			derived.reject(p.result)
		default:
			derived.resolve(p.result)
		}
	})
	return derived
}

// follow settles p with what a call returned or threw.
func (p *promise) follow(v value, err error) {
	if err != nil {
		p.reject(err.(*thrown).value)
		return
	}
	p.resolve(v)
}

// promiseClass returns the constructor Promise.
func promiseClass(l *loop) *class {
	return &class{
		name: "Promise",
		has:  func(v value) bool { _, ok := v.(*promise); return ok },
		construct: func(args []value) (value, error) {
			executor, ok := argument(args, 0).(*function)
			if !ok {
				return nil, throwTypeError("Promise resolver %s is not a function",
					describe(argument(args, 0)))
			}
			p := newPromise(l)
			resolve := method("resolve", func(args []value) (value, error) {
				p.resolve(argument(args,
					0))
				return nil, nil
			})
			reject := method("reject", func(args []value) (value, error) {
				p.reject(argument(args,
					0))
				return nil, nil
			})
			if _, err := executor.call(nil, []value{resolve, reject}); err != nil {
				p.reject(err.(*thrown).value)
			}
			return p, nil
		},
	}
}
