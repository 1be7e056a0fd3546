package host

import (
	"errors"
	"io"
	"time"

	"edgelingua/wasmtest/host/js"
)

// hostObject is context.host: see worker/bridge/doc.go. Members are made on demand, because a
// request uses few members and calls each method immediately.
type hostObject struct{ x *hostRequest }

// hostMethods are the methods of context.host, with the names of their parameters.
var hostMethods = map[string]struct {
	call   func(x *hostRequest, args arguments) js.Value
	params []string
}{
	"body": {(*hostRequest).body, []string{"limit"}},
	"fetch": {(*hostRequest).fetch, []string{"url", "method", "head", "body", "headWait", "silence",
		"public"}},
	"read":   {(*hostRequest).read, []string{"limit", "time"}},
	"stream": {(*hostRequest).startPump, []string{"keepAlive", "keepAliveEvery", "trap", "object", "window"}},
	"pass":   {(*hostRequest).pass, nil},
	"bytes":  {(*hostRequest).bytes, []string{"at", "length"}},
	"pieces": {(*hostRequest).pieces, []string{"at"}},

	"kvGet":    {(*hostRequest).kvGet, []string{"key"}},
	"kvPut":    {(*hostRequest).kvPut, []string{"key", "value", "metadata", "expiration"}},
	"kvDelete": {(*hostRequest).kvDelete, []string{"key"}},
	"kvList":   {(*hostRequest).kvList, []string{"prefix", "cursor", "limit"}},
	"batch":    {(*hostRequest).batch, []string{"object", "statements", "counts"}},
	"change": {(*hostRequest).change, []string{"object", "statements", "key", "value", "metadata",
		"after"}},
	"account": {(*hostRequest).account, []string{"object", "renewal", "renewEvery",
		"further", "merge"}},
	"insure": {(*hostRequest).insure, []string{"statements"}},
	"prices": {(*hostRequest).prices, []string{"url", "model"}},

	"accept": {(*hostRequest).accept, []string{"endpoint", "most", "lifetime"}},
	"recall": {(*hostRequest).recall, []string{"id"}},
	"hangUp": {(*hostRequest).hangUp, nil},

	"reserve": {(*hostRequest).reserve, []string{"owner"}},
	"detach":  {(*hostRequest).detach, []string{"id", "state", "streams", "object", "failed"}},
	"task":    {(*hostRequest).task, []string{"owner", "id", "action"}},
	"follow":  {(*hostRequest).follow, []string{"event"}},

	"digest": {(*hostRequest).digest, []string{"text"}},
	"seal":   {(*hostRequest).seal, []string{"context", "secret"}},
	"open":   {(*hostRequest).open, []string{"context", "sealed"}},
	"token":  {(*hostRequest).token, []string{"context", "sealed"}},
}

func (h *hostObject) Kind() string { return "context.host" }

func (h *hostObject) Get(key string) (v js.Value, known bool) {
	switch key {
	case "clientHead":
		return clientHead(h.x.request, h.x.proxies), true
	case "settings":
		return h.x.settings, true
	case "socket":
		return h.x.frame != nil, true
	case "background":
		return h.x.runsTasks(), true
	}
	m, known := hostMethods[key]
	if !known {
		return nil, false
	}
	f := js.Method(key, func(args []js.Value) (js.Value, error) {
		return m.call(h.x, arguments{"host." + key, args}), nil
	})
	f.Params = m.params
	return f, true
}

// arguments reads the arguments of a call. A type that differs from the contract ends the instance.
type arguments struct {
	name   string
	values []js.Value
}

func (a arguments) string(i int) string {
	s, ok := js.Argument(a.values, i).(string)
	if !ok {
		js.Stop("%s takes a string as argument %d, not %s", a.name, i, js.Describe(js.Argument(a.values, i)))
	}
	return s
}

func (a arguments) int(i int) int {
	f, ok := js.Argument(a.values, i).(float64)
	if !ok {
		js.Stop("%s takes a number as argument %d, not %s", a.name, i, js.Describe(js.Argument(a.values, i)))
	}
	return int(f)
}

func (a arguments) bool(i int) bool {
	b, ok := js.Argument(a.values, i).(bool)
	if !ok {
		js.Stop("%s takes a boolean as argument %d, not %s", a.name, i, js.Describe(js.Argument(a.values, i)))
	}
	return b
}

func (a arguments) milliseconds(i int) time.Duration {
	return time.Duration(a.int(i)) * time.Millisecond
}

// bytes returns argument i, a Uint8Array, or nil for null.
func (a arguments) bytes(i int) []byte {
	switch v := js.Argument(a.values, i).(type) {
	case *js.Uint8Array:
		return v.Data
	case js.Null:
		return nil
	}
	js.Stop("%s takes a Uint8Array or null as argument %d, not %s", a.name, i,
		js.Describe(js.Argument(a.values, i)))
	return nil
}

// The codes of the export settle for failures. A code of 0 or more is a success.
const (
	failedCode   = -1
	tooLargeCode = -2
)

// settle passes the outcome of the pending call to the program, and lets the program continue.
func (x *hostRequest) settle(code int, data []byte) { x.program.settle(code, data) }

func (x *hostRequest) settleFailure(err error) { x.settle(failedCode, []byte(err.Error())) }

// errTooLarge is the error for a body over its limit.
var errTooLarge = errors.New("too large")

// body implements the bridge's body: it reads the client's body.
func (x *hostRequest) body(args arguments) js.Value {
	limit := args.int(0)
	if x.bodyState != untouched {
		js.Stop("%s is called twice", args.name)
	}
	x.bodyState = reading
	x.loop.Async(func() func() {
		body, err := x.readBody(limit)
		return func() {
			x.bodyState = taken
			x.settleBody(body, err)
		}
	})
	return nil
}

// maxDiscarded is how many bytes of a body over its limit are read and dropped. If the connection
// closes while a client still sends, the client gets a reset instead of the answer. So the rest of
// a body of a usual size is read before the answer.
const maxDiscarded = 64 << 20

func (x *hostRequest) readBody(limit int) ([]byte, error) {
	if x.request.ContentLength <= int64(limit) {
		plain, err := decoded(x.clientBody, x.codings)
		if err != nil {
			return nil, errAborted
		}
		defer plain.Close()
		body, err := io.ReadAll(io.LimitReader(plain, int64(limit)+1))
		if err != nil {
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

// settleBody settles with a whole body, or with the reason for its absence.
func (x *hostRequest) settleBody(body []byte, err error) {
	switch {
	case err == errTooLarge:
		x.settle(tooLargeCode, nil)
	case err != nil:
		x.settleFailure(err)
	default:
		x.settle(0, body)
	}
}

// fetch implements the bridge's fetch. A later fetch replaces the earlier one. If the pump waits
// for a further call (pump.again), the pump gets the upstream, and the fetch does not settle.
func (x *hostRequest) fetch(args arguments) js.Value {
	headWait, silence := args.milliseconds(4), args.milliseconds(5)
	x.upstream.close()
	r, err := newUpstreamRequest(args.string(0), args.string(1), args.string(2), args.bytes(3))
	u := newUpstream(x.ctx, x.loop, silence)
	x.upstream, x.upstreams = u, append(x.upstreams, u)
	if err != nil {
		x.loop.Later(func() { u.arrive(nil, err) })
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
	var wait *js.Timer
	if headWait > 0 {
		wait = x.loop.After(headWait, func() {
			u.late = true
			x.settle(0, nil)
		})
	}
	u.whenArrived(func() {
		wait.End()
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

// read implements the bridge's read: it reads the whole body of the upstream's response.
func (x *hostRequest) read(args arguments) js.Value {
	limit, time := args.int(0), args.milliseconds(1)
	u := x.fetched(args)
	x.loop.Later(func() {
		u.whenArrived(func() {
			if u.failure != nil {
				x.settleFailure(u.failure)
				return
			}
			var whole *js.Timer
			if time > 0 {
				whole = x.loop.After(time, func() { u.cancel(errTimeout) })
			}
			u.collect(limit, nil, func(body []byte, err error) {
				whole.End()
				x.settleBody(body, err)
			})
		})
	})
	return nil
}

// collect appends the rest of the body to read, up to limit bytes in total, and calls then with the
// result.
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

// startPump implements the bridge's stream.
func (x *hostRequest) startPump(args arguments) js.Value {
	p := &pump{
		request:   x,
		upstream:  x.fetched(args),
		keepAlive: []byte(args.string(0)),
		every:     args.milliseconds(1),
		trap:      []byte(args.string(2)),
		object:    args.string(3),
		pace:      pace{window: args.milliseconds(4)},
	}
	body := x.streamBody(args, p)
	p.start()
	return body
}

// streamBody returns the body of a response, filled by s.
func (x *hostRequest) streamBody(args arguments, s stream) *js.ReadableStream {
	if x.stream != nil {
		js.Stop("%s is called after another stream has begun", args.name)
	}
	x.stream = s
	return &js.ReadableStream{Filler: s}
}

// fetched returns the upstream of the last fetch. Without a fetch it ends the instance.
func (x *hostRequest) fetched(args arguments) *upstream {
	if x.upstream == nil {
		js.Stop("%s is called before host.fetch", args.name)
	}
	return x.upstream
}
