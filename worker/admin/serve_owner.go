package admin

import (
	"net/http"
	"strconv"

	"edgelingua/worker/endpoint"
	"edgelingua/worker/tenant"
)

// serveOwner answers the owner, who presents a key of the endpoint, or a session opened with a key.
func (m *managed) serveOwner(key string) (status int, out []byte, err *Error) {
	hash, err := m.ownerHash(key)
	if err != nil {
		return 0, nil, err
	}
	// The copy in KV is checked first: without a valid key, a client can't cause calls of the
	// endpoint's object.
	record, found, err := m.get()
	if err != nil && err.Status != http.StatusNotFound {
		return 0, nil, err
	}
	var rec *Record
	if found && tenant.HasKey(record, hash) {
		// An unreadable record counts as none: only a client with a key may learn more.
		rec, _ = Load(m.Name, record)
	}
	if err = owns(rec, hash, m.now); err != nil {
		return 0, nil, err
	}
	w := Wanted{}
	// An owner's new key expires with the old key: the operator who gave a key until a date meant
	// the date. For the same reason a grace never extends a key's life, and the owner can't end
	// further keys of the endpoint.
	if m.Operation == OwnerRotate {
		body, err := m.body()
		if err == nil {
			w, err = ReadWanted(body, OwnRotateFields)
		}
		if err != nil {
			return 0, nil, err
		}
	}
	if rec, err = m.load(); err != nil && err.Status != http.StatusNotFound {
		return 0, nil, err
	}
	if err = owns(rec, hash, m.now); err != nil {
		return 0, nil, err
	}
	own := rec.Key(hash)
	switch m.Operation {
	case OwnerRead:
		return http.StatusOK, rec.AppendOwn(nil, hash, ""), nil
	case OwnerUsage:
		return m.usage(rec.Endpoint(), own.Account())
	case OwnerRequests:
		return m.requests(rec.Endpoint(), own.Account())
	case OwnerSessions:
		return m.sessions(rec.Endpoint(), own.Account())
	case OpenSession, ReadSession, EndSession:
		return m.serveSession(key, hash)
	}
	return m.replaceOwn(rec, hash, w)
}

// owns returns an error unless the endpoint has a valid key with this hash and is enabled. If the
// endpoint does not exist, rec is nil.
func owns(rec *Record, hash string, now int64) *Error {
	if refused := tenant.CheckKey(rec.Endpoint(), hash, now); refused != nil {
		return refusedBy(refused)
	}
	if rec.Endpoint().Disabled {
		return Refuse(http.StatusForbidden, tenant.DisabledError().Message)
	}
	return nil
}

// replaceOwn replaces the owner's key with this hash by a new key.
func (m *managed) replaceOwn(rec *Record, hash string, w Wanted) (status int, out []byte, err *Error) {
	if wait := rec.Truth.Rotate(m.now); wait > 0 {
		seconds := strconv.FormatInt(wait, 10)
		m.h.Set("retry-after", seconds)
		return 0, nil, Refuse(http.StatusTooManyRequests,
			"The keys of this endpoint were replaced too often. Try again in "+seconds+
				" seconds, or ask its operator, who may replace them at any time.")
	}
	old := rec.Key(hash)
	m.owner = &old
	w.Label, w.Expires, w.Limits = old.Label, old.Expires, old.LimitsJSON()
	rec.Expire(hash, m.now+w.Grace)
	key, hash, err := m.newKey(rec, w)
	if err == nil {
		rec.countAs(&old, endpoint.KeyID(hash))
		err = m.keyed(m.save(rec))
	}
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, rec.AppendOwn(nil, hash, key), nil
}
