package cli

import (
	"fmt"
	"strings"
	"time"

	"edgelingua/wasmtest/seal"
	"edgelingua/wasmtest/store"
	"edgelingua/worker/tenant"
)

// openStore opens the folder of --data.
func openStore(dir string) (*store.Store, error) {
	s, err := store.Open(dir, time.Now)
	if err != nil {
		return nil, fmt.Errorf("%w; --data names a folder of this program's own", err)
	}
	return s, nil
}

// sealWarning returns a warning if SEAL_KEY is not the key of the first sealed record, else "".
func sealWarning(s *store.Store, vars map[string]string) (string, error) {
	page, err := s.List(tenant.Prefix, "", 1000)
	for _, key := range page.Keys {
		record, _, _, err := s.Get(key.Name)
		if err != nil {
			return "", err
		}
		found, fits := seal.Fits(vars, record)
		if fits {
			break
		}
		if found {
			return "SEAL_KEY is not the key that sealed the upstream keys of the endpoint " +
				strings.TrimPrefix(key.Name, tenant.Prefix) + ", so requests to its upstreams fail. Start " +
				"again with the former SEAL_KEY, or with both (SEAL_KEY_PREVIOUS). If it is lost, set the " +
				"upstream keys again at /admin", nil
		}
	}
	return "", err
}
