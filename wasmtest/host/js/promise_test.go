package js

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// journal records the order of callbacks.
type journal struct{ lines []string }

func (j *journal) note(line string, result Value) *Function {
	return Method(line, func(args []Value) (Value, error) {
		j.lines = append(j.lines, line+" "+Describe(Argument(args, 0)))
		return result, nil
	})
}

func (j *journal) throw(line string) *Function {
	return Method(line, func([]Value) (Value, error) {
		j.lines = append(j.lines, line)
		return nil, &thrown{&Error{Name: "Error", Message: "from " + line}}
	})
}

func TestReactionsRunInTheOrderOfJavaScript(t *testing.T) {
	l, j := NewLoop(), &journal{}
	p, followed := NewPromise(l), NewPromise(l)
	p.then(j.note("a", nil), nil).then(j.note("c", nil), nil)
	p.then(j.note("b", nil), nil)
	p.resolve(1.0)
	p.resolve("ignored")
	p.reject("ignored")
	assert.Empty(t, j.lines, "nothing runs inside resolve")

	outer := NewPromise(l)
	outer.then(j.note("g", nil), nil)
	outer.resolve(followed)
	followed.resolve(true)
	q := NewPromise(l)
	q.then(j.note("d", nil), nil).then(j.note("e", nil), nil).then(j.note("h", nil), nil)
	q.resolve(Null{})
	l.drain()
	// Following a promise takes two microtasks more than taking a value.
	assert.Equal(t, []string{"a a number", "b a number", "d null", "c undefined", "e undefined",
		"g a boolean", "h undefined"}, j.lines)
}

func TestRejections(t *testing.T) {
	l, j := NewLoop(), &journal{}
	p := NewPromise(l)
	p.then(j.note("skipped", nil), nil).then(nil, j.note("caught", "again")).then(j.throw("throws"), nil).
		then(nil, nil).then(j.note("skipped", nil), j.note("caught", nil)).then(j.note("on", nil), nil)
	p.reject("no")
	l.drain()
	assert.Equal(t, []string{"caught a string", "throws", "caught Error: from throws", "on undefined"},
		j.lines)

	self := NewPromise(l)
	self.resolve(self)
	self.then(nil, j.note("self", nil))
	l.drain()
	assert.Contains(t, j.lines, "self TypeError: Chaining cycle detected for promise")
}

func TestPromiseExecutor(t *testing.T) {
	l, j := NewLoop(), &journal{}
	c := promiseClass(l)
	v, err := c.Construct([]Value{j.throw("executor")})
	assert.NoError(t, err)
	v.(*Promise).then(nil, j.note("rejected", nil))
	l.drain()
	assert.Equal(t, []string{"executor", "rejected Error: from executor"}, j.lines)
	_, err = c.Construct(nil)
	assert.EqualError(t, err, "uncaught TypeError: Promise resolver undefined is not a function")
}

func TestLoop(t *testing.T) {
	never := func() bool { return false }
	assert.Equal(t, ErrHang, NewLoop().Run(never), "nothing to wait for")

	l, order := NewLoop(), ""
	l.Later(func() {
		order += "1"
		l.Later(func() { order += "4" })
		l.microtask(func() {
			order += "2"
			l.microtask(func() { order += "3" })
		})
	})
	assert.Equal(t, ErrHang, l.Run(never))
	assert.Equal(t, "1234", order)

	l = NewLoop()
	ended := l.After(time.Hour, func() { t.Error("an ended timer runs") })
	assert.True(t, ended.End())
	assert.False(t, ended.End())
	l.After(0, func() { order += "5" })
	l.Async(func() func() { return func() { order += "6" } })
	assert.Equal(t, ErrHang, l.Run(never))
	assert.Len(t, order, 6)

	l.Later(func() { Stop("stopped by a %s", "turn") })
	assert.EqualError(t, l.Run(never), "stopped by a turn")
	assert.NoError(t, l.Run(func() bool { return true }))
}
