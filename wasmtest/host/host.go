package host

import (
	"context"
	"crypto/rand"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"

	"edgelingua/wasmtest/google"
	"edgelingua/wasmtest/host/js"
	"edgelingua/wasmtest/host/memory"
	"edgelingua/wasmtest/host/outbound"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// maxMemoryPages is the memory of an isolate: 128 MB, in pages of 64 KB.
const maxMemoryPages = 2048

// Config says how a Host runs the module.
type Config struct {
	// Env holds the vars and secrets for the program.
	Env map[string]string
	// Log gets the program's output, and the reason for the death of an instance. nil: both are
	// dropped.
	Log *log.Logger
	// Trace gets a line for each call between the program and the host: see trace. nil: no trace,
	// at no cost.
	Trace *log.Logger
	// CacheDir is the folder for compiled modules; "" is edgelingua/wazero in the user's cache
	// directory.
	CacheDir string
	// Transport sends the program's requests to upstreams. nil: the host's own connections, which
	// check the address if the program requests a public upstream.
	Transport http.RoundTripper
	// Proxy returns the proxy for a request to the upstream of the deployment's variables, nil for
	// none, as http.ProxyFromEnvironment. Requests of personal endpoints have no proxy: the host
	// could not check the address that the proxy connects to. nil: no request has one.
	Proxy func(*http.Request) (*url.URL, error)
	// Watch wraps the transport for requests to upstreams. The context of an upstream's request
	// derives from the context of the client's request. nil: the transport is not wrapped.
	Watch func(http.RoundTripper) http.RoundTripper
	// IdleConnections is how many idle connections of the host are reused: at most this number to
	// upstreams that must be on the public internet, and the same number to others. 0: any number.
	IdleConnections int
	// Sockets is the maximum number of open WebSockets, and Remembered the maximum bytes of
	// conversations in all their memories. 0: any number. An endpoint gets more of either only
	// while its share is less than four times the free rest.
	Sockets, Remembered int
	// Tasks is the maximum bytes of the events of background responses, shared like Remembered. 0: any
	// number.
	Tasks int
	// Proxies are the trusted proxies; none: the client of a request is the peer of the connection.
	Proxies Proxies
	// Store has the program's state, the bindings ENDPOINTS and ENDPOINT_STATE. nil: the bindings
	// are missing.
	Store Store
	// Done gets the outcome of each finished request. nil: the program makes no report.
	Done func(r *http.Request, o Outcome)
	// Now is the program's clock; nil is time.Now. The host's timers use the real clock.
	Now func() time.Time
}

// Host is an http.Handler that answers each request with a new instance of one module.
type Host struct {
	config       Config
	settings     string // Config.Env in the form of the bridge
	runtime      wazero.Runtime
	cache        wazero.CompilationCache
	module       wazero.CompiledModule
	moduleConfig wazero.ModuleConfig
	native       bridge.Program // serves requests in this process; nil: instances of the module serve them
	memories     *memory.Pool
	patience     patience
	sockets      *sockets
	tasks        *tasks
	connections  *http.Transport
	proxied      *http.Transport // connections by Config.Proxy
	// only connects to the public internet; other requests may not reuse its connections
	public *http.Transport
	traces atomic.Uint64 // how many traces there were
	tokens google.Kept   // the token for UPSTREAM_KEY
	priced priceCache
	alerts *alerts // nil: the store has no alarms
}

// New compiles the module. It does not retain wasm.
func New(ctx context.Context, wasm []byte, config Config) (*Host, error) {
	h := newHost(config)
	if err := h.compile(ctx, wasm); err != nil {
		return nil, err
	}
	return h, nil
}

// newHost returns a host without a program.
func newHost(config Config) *Host {
	if config.Log == nil {
		config.Log = log.New(io.Discard, "", 0)
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	h := &Host{
		config:   config,
		settings: settings(config.Env),
		// by default each instance seeds a source
		moduleConfig: wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(rand.Reader),
		memories:     memory.NewPool(maxMemoryPages << 16),
		patience:     usualPatience,
		sockets:      newSockets(config.Sockets, config.Remembered),
		tasks:        newTasks(config.Tasks),
		connections:  outbound.Transport(&net.Dialer{}),
		public:       outbound.Transport(outbound.Public()),
	}
	h.proxied = h.connections
	if config.Proxy != nil {
		h.proxied = outbound.Transport(&net.Dialer{})
		h.proxied.Proxy = config.Proxy
	}
	for _, t := range []*http.Transport{h.connections, h.proxied, h.public} {
		t.MaxIdleConns = config.IdleConnections
	}
	if config.Transport == nil {
		h.config.Transport = h.connections
	}
	h.alerts = h.startAlerts()
	return h
}

// Close frees the host's resources. It must not be called during a request.
func (h *Host) Close(ctx context.Context) error {
	h.CloseTasks(ctx)
	h.alerts.stop()
	h.public.CloseIdleConnections()
	h.connections.CloseIdleConnections()
	h.proxied.CloseIdleConnections()
	var err error
	if h.native == nil {
		err = h.free(ctx)
	}
	h.memories.Close()
	return err
}

// Instances returns the number of running instances, and the total bytes of their memory.
func (h *Host) Instances() (n, memory int) {
	return h.memories.Use()
}

// ServeHTTP answers a request with a new instance. If the program accepts a WebSocket, ServeHTTP
// returns at the end of the connection, unless Sockets handles the connection.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if upgrades(r) && r.Context().Value(upgradeKey{}) == nil {
		h.Sockets(h).ServeHTTP(w, r)
		return
	}
	if h.config.Store != nil && mayDetach(r) {
		h.Tasks(h).ServeHTTP(w, r)
		return
	}
	transport := h.config.Transport
	if transport == h.connections && isOwn(r.URL.Path) {
		transport = h.proxied
	}
	x := newExchange(w, r, transport, h.config.Env)
	if !readable(r) {
		x.answerInstead(unreadable(r))
		x.cancel()
		return
	}
	if h.config.Transport == h.connections {
		x.public = h.public
	}
	// A recorder watches transports by this hook. With a Transport of the recorder's own the host
	// would not check the addresses of personal endpoints' upstreams.
	if h.config.Watch != nil {
		x.transport, x.public = h.config.Watch(x.transport), h.config.Watch(x.public)
	}
	x.store, x.tasks, x.tokens, x.priced = h.config.Store, h.tasks, &h.tokens, &h.priced
	x.proxies = h.config.Proxies
	x.setPatience(h.patience)
	h.serve(x)
}

// isOwn reports whether a request is one to the deployment's own endpoint, not to a personal
// endpoint or to the Admin API, which tests upstreams of personal endpoints.
func isOwn(path string) bool {
	_, _, personal := endpoint.Split(path)
	return !personal && !strings.HasPrefix(path, "/admin/")
}

// program returns the program for a request.
func (h *Host) program(x *hostRequest) (program, error) {
	if h.native != nil {
		return newNative(h.native, x, h.config.Now), nil
	}
	in, err := newInstance(h, x.loop)
	if err != nil {
		return nil, err
	}
	h.trace(x, in)
	return &module{in, x}, nil
}

// trace begins the trace of a request, if Config.Trace is set.
func (h *Host) trace(x *hostRequest, in *instance) {
	if h.config.Trace == nil {
		return
	}
	in.trace = &trace{logger: h.config.Trace, number: h.traces.Add(1)}
	h.config.Trace.Printf("trace %d: %s %s", in.trace.number, x.request.Method, LogPath(x.request))
}

func (h *Host) serve(x *hostRequest) {
	defer x.close()
	x.log, x.settings = h.config.Log, h.settings
	var err error
	if x.program, err = h.program(x); err == nil {
		defer x.program.close()
		err = x.run()
		if over := x.program.over(); err == js.ErrHang && over != nil {
			err = over
		}
	}
	if err != nil {
		h.config.Log.Printf("%s %s: %v", x.request.Method, LogPath(x.request), err)
		x.accounted.close(true)
		x.fail()
	} else {
		if err = x.remember(); err != nil {
			h.config.Log.Printf("%s %s: nothing is remembered: %v", x.request.Method, LogPath(x.request), err)
		}
		x.accounted.close(err != nil)
	}
	if h.config.Done != nil {
		h.config.Done(x.request, h.outcome(x, err))
	}
	if x.stream != nil && !x.stream.whole() {
		panic(http.ErrAbortHandler) // makes net/http break the connection
	}
}
