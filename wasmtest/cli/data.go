package cli

import (
	"fmt"
	"time"

	"edgelingua/wasmtest/store"
)

// openStore opens the folder of --data.
func openStore(dir string) (*store.Store, error) {
	s, err := store.Open(dir, time.Now)
	if err != nil {
		return nil, fmt.Errorf("%w; --data names a folder of this program's own", err)
	}
	return s, nil
}
