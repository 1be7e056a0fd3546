package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tetratelabs/wazero"
)

// compile compiles the module, or loads the module from the cache on disk. If the cache can't be
// used, compile logs this, and each start takes longer.
func (h *Host) compile(ctx context.Context, wasm []byte) error {
	cache, broken := openCache(h.config.CacheDir)
	if broken == nil {
		broken = h.compileWith(ctx, cache, wasm)
	}
	if broken != nil {
		if err := h.compileWith(ctx, wazero.NewCompilationCache(), wasm); err != nil {
			return err
		}
		h.config.Log.Printf("compiled modules can't be kept, so each start compiles anew: %v", broken)
	}
	err := checkModule(h.module)
	if err == nil {
		err = register(ctx, h.runtime, h.config.Trace != nil)
	}
	if err != nil {
		h.free(ctx)
	}
	return err
}

func (h *Host) compileWith(ctx context.Context, cache wazero.CompilationCache, wasm []byte) (err error) {
	h.cache = cache
	h.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithCompilationCache(cache).
		WithMemoryLimitPages(maxMemoryPages))
	if h.module, err = h.runtime.CompileModule(ctx, wasm); err != nil {
		h.free(ctx)
	}
	return err
}

// free frees the runtime and its compiled code.
func (h *Host) free(ctx context.Context) error {
	err := h.runtime.Close(ctx)
	if closeErr := h.cache.Close(ctx); err == nil {
		err = closeErr
	}
	return err
}

func openCache(dir string) (wazero.CompilationCache, error) {
	if dir == "" {
		caches, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("there is no folder for them (%w)", err)
		}
		dir = filepath.Join(caches, "edgelingua", "wazero")
	}
	return wazero.NewCompilationCacheWithDir(dir)
}
