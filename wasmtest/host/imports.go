package host

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// hostFunction is a function that the module imports. call reads its parameters from the stack and
// stores its result there.
type hostFunction struct {
	name   string
	params string // names and types, as in "value i64, at i32"
	result string // a type, or ""
	call   func(in *instance, stack []uint64)
}

// imports are the import modules of the program.
var imports = map[string][]hostFunction{
	"gojs":                   gojs,
	"wasi_snapshot_preview1": wasi,
	"workers":                workers,
}

// workers is the import module of syumai/workers. The program calls ready after it has set
// handleRequest. The host reads handleRequest after _start, so ready does nothing here.
var workers = []hostFunction{{name: "ready", call: func(*instance, []uint64) {}}}

var valueTypes = map[string]api.ValueType{"i32": api.ValueTypeI32, "i64": api.ValueTypeI64}

// register registers all import modules in a runtime, with a trace if trace is true. The context of
// a call has the calling instance.
func register(ctx context.Context, r wazero.Runtime, trace bool) error {
	for module, functions := range imports {
		builder := r.NewHostModuleBuilder(module)
		for _, f := range functions {
			names, types := parseParams(f.params)
			var results []api.ValueType
			if f.result != "" {
				results = append(results, valueTypes[f.result])
			}
			call := f.call
			if trace {
				call = traced(module, f)
			}
			builder.NewFunctionBuilder().
				WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
					call(ctx.Value(instanceKey{}).(*instance), stack)
				}), types, results).
				WithParameterNames(names...).
				Export(f.name)
		}
		if _, err := builder.Instantiate(ctx); err != nil {
			return fmt.Errorf("import module %s: %w", module, err)
		}
	}
	return nil
}

func parseParams(params string) (names []string, types []api.ValueType) {
	for param := range strings.SplitSeq(params, ", ") {
		name, kind, found := strings.Cut(param, " ")
		if !found {
			continue
		}
		names, types = append(names, name), append(types, valueTypes[kind])
	}
	return names, types
}

// checkModule returns an error for a module with imports or exports that do not fit this host, such
// as a module built from an older checkout.
func checkModule(m wazero.CompiledModule) error {
	for _, f := range m.ImportedFunctions() {
		module, name, _ := f.Import()
		if !offers(module, name) {
			return fmt.Errorf("it imports %s from %s, which the module of ./build.sh, TinyGo's, does not",
				name, module)
		}
	}
	functions := m.ExportedFunctions()
	for _, name := range slices.Sorted(maps.Keys(exports)) {
		f, found := functions[name]
		if !found {
			return fmt.Errorf("it has no export %s, which the module of ./build.sh has", name)
		}
		if takes, given := len(f.ParamTypes()), len(exports[name]); takes != given {
			return fmt.Errorf("its export %s has %d parameters, and that of the module of ./build.sh has %d",
				name, takes, given)
		}
	}
	if _, found := m.ExportedMemories()["memory"]; !found {
		return fmt.Errorf("it has no export memory")
	}
	return nil
}

func offers(module, name string) bool {
	for _, f := range imports[module] {
		if f.name == name {
			return true
		}
	}
	return false
}
