package host

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// newBridge returns context.host, which worker/bridge/doc.go describes.
func newBridge(x *exchange) *namespace {
	members := map[string]value{"clientHead": clientHead(x.request), "settings": settings(x.env)}
	for name, m := range map[string]struct {
		call   func(args arguments) value
		params []string
	}{
		"body":   {x.body, []string{"limit"}},
		"fetch":  {x.fetch, []string{"url", "method", "head", "body", "headWait", "silence", "public"}},
		"read":   {x.read, []string{"limit"}},
		"stream": {x.startPump, []string{"keepAlive", "keepAliveEvery", "trap", "object"}},
		"pass":   {x.pass, nil},
		"bytes":  {x.bytes, []string{"at", "length"}},

		"kvGet":    {x.kvGet, []string{"key"}},
		"kvPut":    {x.kvPut, []string{"key", "value", "metadata", "expiration"}},
		"kvDelete": {x.kvDelete, []string{"key"}},
		"kvList":   {x.kvList, []string{"prefix", "cursor", "limit"}},
		"batch":    {x.batch, []string{"object", "statements"}},
		"account":  {x.account, []string{"object", "renewal", "renewEvery"}},

		"digest": {x.digest, []string{"text"}},
		"seal":   {x.seal, []string{"context", "secret"}},
		"open":   {x.open, []string{"context", "sealed"}},
	} {
		f := method(name, func(args []value) (value, error) {
			return m.call(arguments{"host." + name, args}), nil
		})
		f.params = m.params
		members[name] = f
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

func (a arguments) bool(i int) bool {
	b, ok := argument(a.values, i).(bool)
	if !ok {
		stop("%s takes a boolean as argument %d, not %s", a.name, i, describe(argument(a.values, i)))
	}
	return b
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

// Codes of settle that are no status.
const (
	failedCode   = -1
	tooLargeCode = -2
)

// settle hands the outcome of a call to the program, which goes on with it.
func (x *exchange) settle(code int, data []byte) {
	n := x.instance.put(data)
	x.instance.enter("settle", uint64(uint32(int32(code))), n)
	x.instance.enter("go_scheduler")
}

func (x *exchange) settleFailure(err error) { x.settle(failedCode, []byte(err.Error())) }

// bytes copies some of the program's memory.
func (x *exchange) bytes(args arguments) value {
	at, length := args.int(0), args.int(1)
	return &uint8Array{data: bytes.Clone(x.instance.bytes(uint64(at), uint64(length)))}
}

// errTooLarge ends the reading of a body that is over its limit.
var errTooLarge = errors.New("too large")

// body reads the client's body.
func (x *exchange) body(args arguments) value {
	limit := args.int(0)
	if x.bodyState != untouched {
		stop("%s is called twice", args.name)
	}
	x.bodyState = reading
	x.loop.async(func() func() {
		body, err := x.readBody(limit)
		return func() {
			x.bodyState = taken
			x.settleBody(body, err)
		}
	})
	return nil
}

// maxDiscarded bounds what is read of a body that is too large, in bytes. A client that is still sending when the connection
// closes gets a reset instead of the answer, so a body that is not absurd is read to its end.
const maxDiscarded = 64 << 20

func (x *exchange) readBody(limit int) ([]byte, error) {
	var body []byte
	if x.request.ContentLength <= int64(limit) {
		var err error
		if body, err = io.ReadAll(io.LimitReader(x.clientBody, int64(limit)+1)); err != nil {
			return nil, errAborted
		}
		if len(body) <= limit {
			return body, nil
		}
	}
	if _, err := io.CopyN(io.Discard, x.clientBody, maxDiscarded); err != nil && err != io.EOF {
		return nil, errAborted
	}
	return nil, errTooLarge
}

// settleBody hands a whole body to the program.
func (x *exchange) settleBody(body []byte, err error) {
	switch {
	case err == errTooLarge:
		x.settle(tooLargeCode, nil)
	case err != nil:
		x.settleFailure(err)
	default:
		x.settle(0, body)
	}
}

// fetch sends a request upstream. One after another replaces it, and is the pump's if that waits for it.
func (x *exchange) fetch(args arguments) value {
	headWait, silence := args.milliseconds(4), args.milliseconds(5)
	x.upstream.close()
	r, err := newUpstreamRequest(args.string(0), args.string(1), args.string(2), args.bytes(3))
	u := newUpstream(x.ctx, x.loop, silence)
	x.upstream, x.upstreams = u, append(x.upstreams, u)
	if err != nil {
		x.loop.later(func() { u.settle(nil, err) })
	} else {
		transport := x.transport
		if args.bool(6) {
			transport = x.public
		}
		u.send(transport, r)
	}
	if refetched := x.refetched; refetched != nil {
		x.refetched = nil
		refetched(u)
		return nil
	}
	var wait *timer
	if headWait > 0 {
		wait = x.loop.after(headWait, func() {
			u.late = true
			x.settle(0, nil)
		})
	}
	u.whenSettled(func() {
		wait.end()
		switch {
		case u.late:
		case u.failure != nil:
			x.settleFailure(u.failure)
		default:
			status, head := u.head()
			x.settle(status, []byte(head))
		}
	})
	return nil
}

// read reads the whole body of the upstream's response.
func (x *exchange) read(args arguments) value {
	limit := args.int(0)
	u := x.fetched(args)
	x.loop.later(func() {
		u.whenSettled(func() {
			if u.failure != nil {
				x.settleFailure(u.failure)
				return
			}
			u.collect(limit, nil, x.settleBody)
		})
	})
	return nil
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
		object:    args.string(3),
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

// ConnectTo returns a transport that connects to one address whatever a request's host is: a test can be a known server so.
func ConnectTo(address string) http.RoundTripper {
	t := newTransport(&net.Dialer{})
	t.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	return t
}

// newTransport returns the connections that all exchanges of a host share, and that dialer makes. A request goes out as the
// program wrote it, and a response comes back as the upstream sent it: no proxy, no redirect, no compression that the program did
// not ask for.
func newTransport(dialer *net.Dialer) *http.Transport {
	http1 := &http.Protocols{}
	http1.SetHTTP1(true)
	return &http.Transport{
		DialContext:         dialer.DialContext,
		DisableCompression:  true,
		Protocols:           http1,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
	}
}
