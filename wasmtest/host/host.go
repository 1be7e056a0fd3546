package host

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
)

// maxMemoryPages is the memory of an isolate: 128 MB, in pages of 64 KB.
const maxMemoryPages = 2048

// Config is how a Host runs the module.
type Config struct {
	// Env holds the vars and secrets that the program finds in its env.
	Env map[string]string
	// Log takes what the program prints and why an instance died. nil discards it.
	Log *log.Logger
	// Trace takes a line for each call between the program and the host: see trace. nil costs nothing.
	Trace *log.Logger
	// CacheDir is where compiled modules are kept; by default edgelingua/wazero in the user's cache directory.
	CacheDir string
	// Transport carries the program's requests to upstreams; by default connections of the host's own, which look at the address
	// where the program asks for a public one.
	Transport http.RoundTripper
	// Store holds the program's state: ENDPOINTS and ENDPOINT_STATE. Without one these bindings are missing.
	Store Store
	// Done takes what came of a request, once it is over. nil: nobody asks.
	Done func(r *http.Request, o Outcome)
	// Now is the program's clock, time.Now by default. Timers of the host go by the real one.
	Now func() time.Time
}

// Host is an http.Handler that answers each request with an instance of its own of one module.
type Host struct {
	config       Config
	runtime      wazero.Runtime
	cache        wazero.CompilationCache
	module       wazero.CompiledModule
	moduleConfig wazero.ModuleConfig
	memories     *memoryPool
	patience     patience
	connections  *http.Transport
	public       *http.Transport // connections to the public internet alone, which the others may not stand in for
	traces       atomic.Uint64   // how many there were
}

// New compiles the module.
func New(ctx context.Context, wasm []byte, config Config) (*Host, error) {
	if config.Log == nil {
		config.Log = log.New(io.Discard, "", 0)
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	h := &Host{
		config:       config,
		moduleConfig: wazero.NewModuleConfig().WithName("").WithStartFunctions(),
		memories:     newMemoryPool(maxMemoryPages << 16),
		patience:     usualPatience,
		connections:  newTransport(&net.Dialer{}),
		public:       newTransport(publicDialer()),
	}
	if config.Transport == nil {
		h.config.Transport = h.connections
	}
	if err := h.compile(ctx, wasm); err != nil {
		return nil, err
	}
	return h, nil
}

// Close frees what the host holds. No request may be running.
func (h *Host) Close(ctx context.Context) error {
	h.public.CloseIdleConnections()
	h.connections.CloseIdleConnections()
	err := h.free(ctx)
	h.memories.close()
	return err
}

// ServeHTTP answers a request with an instance of its own.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := newExchange(w, r, h.config.Transport, h.config.Env)
	if h.config.Transport == h.connections {
		x.public = h.public
	}
	x.store = h.config.Store
	x.setPatience(h.patience)
	h.serve(x)
}

// trace begins the trace of an exchange, where one is wanted.
func (h *Host) trace(x *exchange) {
	if h.config.Trace == nil {
		return
	}
	x.instance.trace = &trace{logger: h.config.Trace, number: h.traces.Add(1)}
	h.config.Trace.Printf("trace %d: %s %s", x.instance.trace.number, x.request.Method, LogPath(x.request))
}

func (h *Host) serve(x *exchange) {
	defer x.close()
	var err error
	if x.instance, err = newInstance(h, x.loop); err == nil {
		defer x.instance.close()
		h.trace(x)
		err = x.run()
	}
	if err == errHang && x.instance.exit != nil {
		err = x.instance.exit
	}
	if err != nil {
		h.config.Log.Printf("%s %s: %v", x.request.Method, LogPath(x.request), err)
		x.fail()
	}
	x.accounted.close(err != nil)
	if h.config.Done != nil {
		h.config.Done(x.request, h.outcome(x, err))
	}
	if x.stream != nil && !x.stream.whole() {
		panic(http.ErrAbortHandler) // net/http then breaks the connection
	}
}
