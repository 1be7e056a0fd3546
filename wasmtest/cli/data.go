package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"edgelingua/wasmtest/seal"
	"edgelingua/wasmtest/store"
	"edgelingua/worker/tenant"
)

// maxNamed is the maximum number of endpoints that a warning names.
const maxNamed = 10

// openStore opens the folder of --data.
func openStore(dir string) (*store.Store, error) {
	s, err := store.Open(dir, time.Now)
	if err != nil {
		return nil, fmt.Errorf("%w; --data names a folder of this program's own", err)
	}
	return s, nil
}

// secretsOf has the members of a record that are sealed.
type secretsOf struct {
	Upstreams []struct {
		Key     string
		Keys    []string
		Gateway struct{ Token string }
	}
	Options struct {
		WebSearch struct{ Key string } `json:"web_search"`
	}
	Alerts struct{ Sealed string }
}

// sealed returns the sealed texts of a record, as far as the record can be read.
func sealed(record []byte) []string {
	var r secretsOf
	_ = json.Unmarshal(record, &r)
	list := []string{r.Options.WebSearch.Key, r.Alerts.Sealed}
	for _, u := range r.Upstreams {
		list = append(append(list, u.Key, u.Gateway.Token), u.Keys...)
	}
	return list
}

// sealWarning returns a warning if any of the first 1000 records has a text that neither SEAL_KEY nor
// SEAL_KEY_PREVIOUS sealed, else "". It also returns the errors of records that can't be read.
func sealWarning(s *store.Store, vars map[string]string) (string, error) {
	page, err := s.List(tenant.Prefix, "", 1000)
	var names []string
	for _, key := range page.Keys {
		record, _, _, unread := s.Get(key.Name)
		err = errors.Join(err, unread)
		if seal.Foreign(vars, sealed(record)) {
			names = append(names, strings.TrimPrefix(key.Name, tenant.Prefix))
		}
	}
	if len(names) == 0 {
		return "", err
	}
	of := "endpoint "
	if len(names) > 1 {
		of = "endpoints "
	}
	if more := len(names) - maxNamed; more > 0 {
		names = append(names[:maxNamed], strconv.Itoa(more)+" more")
	}
	return "SEAL_KEY is not the key that sealed the upstream keys of the " + of + strings.Join(names, ", ") +
		", so requests to these upstreams fail. Start again with the former SEAL_KEY, or with both " +
		"(SEAL_KEY_PREVIOUS). If it is lost, set the upstream keys again at /admin", err
}
