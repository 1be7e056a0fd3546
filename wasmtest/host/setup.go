package host

import (
	"io"
	"log"

	"edgelingua/wasmtest/host/js"
	"edgelingua/worker/bridge"
)

// Setup returns what the program says that the settings of Config.Env come to, in one line; wrong:
// why they can't serve. It asks an instance of its own, which gets no request. The error says why
// the program could not be asked.
func (h *Host) Setup() (line string, wrong bool, err error) {
	if h.native != nil {
		line, wrong = h.native.Setup(bridge.NewHost(&native{x: &exchange{env: h.config.Env}}))
		return line, wrong, nil
	}
	in, err := newInstance(h, js.NewLoop())
	if err != nil {
		return "", false, err
	}
	defer in.close()
	if h.config.Trace != nil { // the module then runs only with a trace; that of no request is not shown
		in.trace = &trace{logger: log.New(io.Discard, "", 0)}
	}
	err = js.Caught(func() {
		members := map[string]js.Value{"settings": settings(h.config.Env)}
		in.start(map[string]js.Value{"env": js.NewObject(), "ctx": &js.Namespace{Name: "context.ctx"},
			"host": &js.Namespace{Name: "context.host", Members: members}})
		out, flags := in.output(in.enter("setup"))
		line, wrong = string(out), flags&flagLast != 0
	})
	return line, wrong, err
}

// Keep makes store the program's state, as Config.Store does. It must not be called once a request
// has come.
func (h *Host) Keep(store Store) { h.config.Store = store }
