//go:build js && wasm

package admin

import (
	"net/http"

	"edgelingua/worker/personal"
)

// serveOwner answers the owner, who presents a key of the endpoint, or a session that was opened with one.
func (m *managed) serveOwner(key string) (status int, out []byte, err *Error) {
	hash, err := m.ownerHash(key)
	if err != nil {
		return 0, nil, err
	}
	record, found, err := m.get()
	if err != nil && err.Status != http.StatusNotFound {
		return 0, nil, err
	}
	var rec *Record
	if found {
		rec, _ = Load(m.Name, record) // nil for a record that can't be read, as for none: only who has a key may learn more
	}
	if refused := personal.CheckKey(rec.Endpoint(), hash); refused != nil {
		return 0, nil, Refuse(refused.HTTPStatus(), refused.Message)
	}
	if rec.Endpoint().Disabled {
		return 0, nil, Refuse(http.StatusForbidden, personal.Disabled().Message)
	}
	switch m.Operation {
	case OwnerRead:
		return http.StatusOK, rec.AppendOwn(nil, hash, ""), nil
	case OwnerUsage:
		return m.usage(rec)
	case OpenSession, ReadSession, EndSession:
		return m.serveSession(key, hash)
	}
	body, err := m.body()
	if err != nil {
		return 0, nil, err
	}
	w, err := ReadWanted(body, OwnRotateFields)
	if err != nil {
		return 0, nil, err
	}
	old := rec.Key(hash)
	w.Label, w.Expires = old.Label, old.Expires
	rec.Expire(hash, m.now+w.Grace)
	if key, hash, err = m.newKey(rec, w); err == nil {
		err = m.store(rec)
	}
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, rec.AppendOwn(nil, hash, key), nil
}
