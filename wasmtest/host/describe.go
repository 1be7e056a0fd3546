package host

import (
	"io"
	"log"

	"edgelingua/wasmtest/host/js"
	"edgelingua/worker/bridge"
)

// Describe returns the program's description of Config.Env's settings, in a line. wrong: the settings
// can't serve, and the line says why. A separate instance, without a request, makes the
// description. err says why the program could not run.
func (h *Host) Describe() (line string, wrong bool, err error) {
	if h.native != nil {
		x := &hostRequest{env: h.config.Env, settings: h.settings}
		line, wrong = h.native.Describe(bridge.NewHost(&native{x: x}))
		return line, wrong, nil
	}
	in, err := newInstance(h, js.NewLoop())
	if err != nil {
		return "", false, err
	}
	defer in.close()
	// the module then runs only with a trace; a trace without a request is not shown
	if h.config.Trace != nil {
		in.trace = &trace{logger: log.New(io.Discard, "", 0)}
	}
	err = js.Caught(func() {
		members := map[string]js.Value{"settings": h.settings}
		in.start(map[string]js.Value{"env": js.NewObject(), "ctx": &js.Namespace{Name: "context.ctx"},
			"host": &js.Namespace{Name: "context.host", Members: members}})
		out, flags := in.output(in.enter("describe"))
		line, wrong = string(out), flags&flagLast != 0
	})
	return line, wrong, err
}

// Keep makes store the program's state, as Config.Store does. It must be called before the first
// request.
func (h *Host) Keep(store Store) {
	h.config.Store = store
	h.alerts = h.startAlerts()
}
