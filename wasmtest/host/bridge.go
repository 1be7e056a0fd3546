package host

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// newBridge returns context.host, which worker/bridge/doc.go describes.
func newBridge(x *exchange) *namespace {
	members := map[string]value{}
	for name, call := range map[string]func(args arguments) value{
		"body":   x.body,
		"fetch":  x.fetch,
		"read":   x.read,
		"stream": x.startPump,
		"pass":   x.pass,
	} {
		members[name] = method(name, func(args []value) (value, error) {
			return call(arguments{"host." + name, args}), nil
		})
	}
	return &namespace{name: "context.host", members: members}
}

// arguments reads the arguments of one call, and stops the program if one has another type than the contract says.
type arguments struct {
	name   string
	values []value
}

func (a arguments) string(i int) string {
	s, ok := argument(a.values, i).(string)
	if !ok {
		stop("%s takes a string as argument %d, not %s", a.name, i, describe(argument(a.values, i)))
	}
	return s
}

func (a arguments) int(i int) int {
	f, ok := argument(a.values, i).(float64)
	if !ok {
		stop("%s takes a number as argument %d, not %s", a.name, i, describe(argument(a.values, i)))
	}
	return int(f)
}

func (a arguments) milliseconds(i int) time.Duration {
	return time.Duration(a.int(i)) * time.Millisecond
}

// bytes reads a Uint8Array, or nil for null.
func (a arguments) bytes(i int) []byte {
	switch v := argument(a.values, i).(type) {
	case *uint8Array:
		return v.data
	case null:
		return nil
	}
	stop("%s takes a Uint8Array or null as argument %d, not %s", a.name, i, describe(argument(a.values, i)))
	return nil
}

// errorValue is what a promise of the bridge rejects with.
func errorValue(err error) value { return &jsError{name: "Error", message: err.Error()} }

// errTooLarge ends the reading of a body that is over its limit.
var errTooLarge = errors.New("too large")

// body reads the client's body.
func (x *exchange) body(args arguments) value {
	limit := args.int(0)
	if x.bodyState != untouched {
		stop("%s is called twice", args.name)
	}
	x.bodyState = reading
	p := newPromise(x.loop)
	x.loop.async(func() func() {
		body, err := x.readBody(limit)
		return func() {
			x.bodyState = taken
			settleBody(p, body, err)
		}
	})
	return p
}

// maxDiscarded bounds what is read of a body that is too large, in bytes. A client that is still sending when the connection
// closes gets a reset instead of the answer, so a body that is not absurd is read to its end.
const maxDiscarded = 64 << 20

func (x *exchange) readBody(limit int) ([]byte, error) {
	var body []byte
	if x.request.ContentLength <= int64(limit) {
		var err error
		if body, err = io.ReadAll(io.LimitReader(x.request.Body, int64(limit)+1)); err != nil {
			return nil, errAborted
		}
		if len(body) <= limit {
			return body, nil
		}
	}
	if _, err := io.CopyN(io.Discard, x.request.Body, maxDiscarded); err != nil && err != io.EOF {
		return nil, errAborted
	}
	return nil, errTooLarge
}

// settleBody settles the promise of a whole body.
func settleBody(p *promise, body []byte, err error) {
	switch {
	case err == errTooLarge:
		p.resolve(null{})
	case err != nil:
		p.reject(errorValue(err))
	default:
		p.resolve(&uint8Array{data: body})
	}
}

// fetch sends a request upstream. One after another replaces it.
func (x *exchange) fetch(args arguments) value {
	headWait, silence := args.milliseconds(4), args.milliseconds(5)
	p := newPromise(x.loop)
	x.upstream.close()
	r, err := newUpstreamRequest(args.string(0), args.string(1), args.string(2), args.bytes(3))
	if err != nil {
		x.loop.later(func() { p.reject(errorValue(err)) })
		return p
	}
	u := newUpstream(x.ctx, x.loop, x.transport, r, silence)
	x.upstream = u
	var wait *timer
	if headWait > 0 {
		wait = x.loop.after(headWait, func() {
			u.late = true
			p.resolve(headValue(0, ""))
		})
	}
	u.whenSettled(func() {
		wait.end()
		switch {
		case u.late:
		case u.failure != nil:
			p.reject(errorValue(u.failure))
		default:
			p.resolve(headValue(u.head()))
		}
	})
	return p
}

func headValue(status int, head string) value {
	v := newObject()
	v.set("status", float64(status))
	v.set("head", head)
	return v
}

// read reads the whole body of the upstream's response.
func (x *exchange) read(args arguments) value {
	limit := args.int(0)
	u := x.fetched(args)
	p := newPromise(x.loop)
	x.loop.later(func() {
		u.whenSettled(func() {
			if u.failure != nil {
				p.reject(errorValue(u.failure))
				return
			}
			u.collect(limit, nil, func(body []byte, err error) { settleBody(p, body, err) })
		})
	})
	return p
}

// collect reads on, behind what was read already.
func (u *upstream) collect(limit int, read []byte, then func(body []byte, err error)) {
	u.read(func(chunk []byte, err error) {
		read = append(read, chunk...)
		switch {
		case len(read) > limit:
			u.close()
			then(nil, errTooLarge)
		case err == io.EOF:
			then(read, nil)
		case err != nil:
			then(nil, err)
		default:
			u.collect(limit, read, then)
		}
	})
}

// startPump is stream of the bridge.
func (x *exchange) startPump(args arguments) value {
	p := &pump{
		exchange:  x,
		upstream:  x.fetched(args),
		keepAlive: []byte(args.string(0)),
		every:     args.milliseconds(1),
		trap:      []byte(args.string(2)),
	}
	body := x.streamBody(args, p)
	p.start()
	return body
}

// streamBody is the body of the response that s fills.
func (x *exchange) streamBody(args arguments, s stream) *readableStream {
	if x.stream != nil {
		stop("%s is called after another stream has begun", args.name)
	}
	x.stream = s
	return &readableStream{stream: s}
}

// fetched is the upstream of a call that needs one.
func (x *exchange) fetched(args arguments) *upstream {
	if x.upstream == nil {
		stop("%s is called before host.fetch", args.name)
	}
	return x.upstream
}

// newTransport returns the connections that all exchanges of a host share. A request goes out as the program wrote it, and
// a response comes back as the upstream sent it: no proxy, no redirect, no compression that the program did not ask for.
func newTransport() *http.Transport {
	http1 := &http.Protocols{}
	http1.SetHTTP1(true)
	return &http.Transport{
		DisableCompression:  true,
		Protocols:           http1,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
	}
}
