package cli

import (
	"context"
	"errors"
	"strings"

	"edgelingua/wasmtest/built"
	"edgelingua/wasmtest/host"
	edge "edgelingua/worker/serve"
)

// engine says what answers the requests of serve.
type engine string

const (
	// wasm starts an instance of the module for each request. Requests share no memory.
	wasm engine = "wasm"
	// native runs the same code in goroutines of this process. The module is not read.
	native engine = "native"
)

// Set makes engine a flag.Value.
func (e *engine) Set(name string) error {
	switch engine(name) {
	case wasm, native:
		*e = engine(name)
		return nil
	}
	return errors.New("the engines are wasm and native")
}

func (e *engine) String() string { return string(*e) }

// start returns a host with the engine of o.
func (o *serveOptions) start(config host.Config) (*host.Host, error) {
	if o.engine == native {
		if config.Env["ADMIN_KEY"] != "" && !nativeTenants {
			return nil, usageError{errors.New("--engine native is for one user, and ADMIN_KEY is set: " +
				"endpoints of several users need --engine wasm, where requests share no memory")}
		}
		return host.NewNative(edge.Program{}, config), nil
	}
	return load(o.wasm, config)
}

// load compiles the module at path (see built.Module).
func load(path string, config host.Config) (*host.Host, error) {
	module, err := built.Read(path)
	if err != nil {
		return nil, err
	}
	h, err := host.New(context.Background(), module, config)
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		return nil, built.Damaged(path, reason)
	}
	return h, nil
}
