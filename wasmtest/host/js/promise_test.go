package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// journal notes the order in which callbacks run.
type journal struct{ lines []string }

func (j *journal) note(line string, result value) *function {
	return method(line, func(args []value) (value, error) {
		j.lines = append(j.lines, line+" "+describe(argument(args, 0)))
		return result, nil
	})
}

func (j *journal) throw(line string) *function {
	return method(line, func([]value) (value, error) {
		j.lines = append(j.lines, line)
		return nil, &thrown{&jsError{name: "Error", message: "from " + line}}
	})
}

func TestReactionsRunInTheOrderOfJavaScript(t *testing.T) {
	l, j := newLoop(), &journal{}
	p, followed := newPromise(l), newPromise(l)
	p.then(j.note("a", nil), nil).then(j.note("c", nil), nil)
	p.then(j.note("b", nil), nil)
	p.resolve(1.0)
	p.resolve("ignored")
	p.reject("ignored")
	assert.Empty(t, j.lines, "nothing runs inside resolve")

	outer := newPromise(l)
	outer.then(j.note("g", nil), nil)
	outer.resolve(followed)
	followed.resolve(true)
	q := newPromise(l)
	q.then(j.note("d", nil), nil).then(j.note("e", nil), nil).then(j.note("h", nil), nil)
	q.resolve(null{})
	l.drain()
	// Following a promise takes two microtasks more than taking a value.
	assert.Equal(t, []string{"a a number", "b a number", "d null", "c undefined", "e undefined",
		"g a boolean", "h undefined"}, j.lines)
}

func TestRejections(t *testing.T) {
	l, j := newLoop(), &journal{}
	p := newPromise(l)
	p.then(j.note("skipped", nil), nil).then(nil, j.note("caught", "again")).then(j.throw("throws"), nil).
		then(nil, nil).then(j.note("skipped", nil), j.note("caught", nil)).then(j.note("on", nil), nil)
	p.reject("no")
	l.drain()
	assert.Equal(t, []string{"caught a string", "throws", "caught Error: from throws", "on undefined"},
		j.lines)

	self := newPromise(l)
	self.resolve(self)
	self.then(nil, j.note("self", nil))
	l.drain()
	assert.Contains(t, j.lines, "self TypeError: Chaining cycle detected for promise")
}

func TestPromiseExecutor(t *testing.T) {
	l, j := newLoop(), &journal{}
	c := promiseClass(l)
	v, err := c.construct([]value{j.throw("executor")})
	assert.NoError(t, err)
	v.(*promise).then(nil, j.note("rejected", nil))
	l.drain()
	assert.Equal(t, []string{"executor", "rejected Error: from executor"}, j.lines)
	_, err = c.construct(nil)
	assert.EqualError(t, err, "uncaught TypeError: Promise resolver undefined is not a function")
}

func TestLoop(t *testing.T) {
	never := func() bool { return false }
	assert.Equal(t, errHang, newLoop().run(never), "nothing to wait for")

	l, order := newLoop(), ""
	l.later(func() {
		order += "1"
		l.later(func() { order += "4" })
		l.microtask(func() {
			order += "2"
			l.microtask(func() { order += "3" })
		})
	})
	assert.Equal(t, errHang, l.run(never))
	assert.Equal(t, "1234", order)

	l = newLoop()
	ended := l.after(time.Hour, func() { t.Error("an ended timer runs") })
	assert.True(t, ended.end())
	assert.False(t, ended.end())
	l.after(0, func() { order += "5" })
	l.async(func() func() { return func() { order += "6" } })
	assert.Equal(t, errHang, l.run(never))
	assert.Len(t, order, 6)

	l.later(func() { stop("stopped by a %s", "turn") })
	assert.EqualError(t, l.run(never), "stopped by a turn")
	assert.NoError(t, l.run(func() bool { return true }))
}
