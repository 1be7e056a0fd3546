package admin

import (
	"net/http"
	"strconv"
	"strings"

	"edgelingua/worker/alert"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored"
	"edgelingua/worker/stored/archive"
	"edgelingua/worker/tenant"
	"edgelingua/worker/usage"
)

// managed is a request to the Admin API or the owner API.
type managed struct {
	Call
	signed
	host bridge.Host
	r    *http.Request
	h    http.Header // of the answer
	now  int64       // Unix seconds

	owner *endpoint.Key // the key of the owner who makes a change; nil: the operator does

	uncopied bool // the change was made, but KV has refused the copy of the record
}

// Serve answers a request to the Admin API, the owner API or the deployment's API. key is the
// client's key. Serve returns the status and the body (nil for no body), and sets further headers
// in h. refused: the request is refused, and the body has the reason.
func Serve(host bridge.Host, r *http.Request, h http.Header, key string) (status int, out []byte,
	refused bool) {
	m := managed{host: host, r: r, h: h, now: host.Now().Unix()}
	status, out, err := m.run(key)
	if err != nil {
		return err.Status, err.Append(nil), true
	}
	return status, out, false
}

// serveAdmin answers the operator.
func (m *managed) serveAdmin() (status int, out []byte, err *Error) {
	switch m.Operation {
	case List:
		return m.list()
	case Make:
		return m.make()
	case Delete:
		return m.delete()
	case Test, Models, DraftTest, DraftModels:
		return m.test()
	case Health:
		return m.health()
	case Overview:
		return m.overview()
	}
	// The body is read before the record, so a slow client can't extend the time between the read
	// and the write of the record.
	body, err := m.body()
	if err != nil {
		return 0, nil, err
	}
	rec, err := m.load()
	if err != nil {
		return 0, nil, err
	}
	switch m.Operation {
	case Read:
		return http.StatusOK, m.view(rec, rec.loaded, ""), nil
	case Usage:
		return m.usage(rec.Endpoint(), "")
	case Requests:
		return m.requests(rec.Endpoint(), "")
	case Sessions:
		return m.sessions(rec.Endpoint(), "")
	case Alerts, TestAlerts:
		return m.alerts(rec.Endpoint())
	case Changes:
		return m.changes(rec.Endpoint())
	}
	if err := rec.Match(m.r.Header.Get("if-match")); err != nil {
		return 0, nil, err
	}
	return m.change(rec, body)
}

// change runs an operation that changes the record of an endpoint.
func (m *managed) change(rec *Record, body string) (status int, out []byte, err *Error) {
	key := ""
	status = http.StatusOK
	switch m.Operation {
	case Change:
		err = rec.Patch(body)
	case RevokeKey:
		err = rec.Revoke(m.ID)
	case ChangeKey:
		var w Wanted
		if w, err = ReadWanted(body, LimitsFields); err == nil {
			err = rec.Limit(m.ID, w)
		}
	case AddKey:
		status = http.StatusCreated
		var w Wanted
		if w, err = ReadWanted(body, KeyFields); err == nil {
			key, _, err = m.newKey(rec, w)
		}
	case Rotate:
		var w Wanted
		if w, err = ReadWanted(body, RotateFields); err == nil {
			rec.Expire("", m.now+w.Grace)
			key, _, err = m.newKey(rec, w)
		}
	}
	if err == nil {
		err = m.save(rec)
	}
	if key != "" {
		err = m.keyed(err)
	}
	if err != nil {
		return 0, nil, err
	}
	return status, m.view(rec, rec.finished, key), nil
}

// view returns the operator's view of an endpoint. e is rec, parsed.
func (m *managed) view(rec *Record, e *endpoint.Endpoint, key string) []byte {
	rec.unpriced = e.Unpriced(m.host.Prices)
	return rec.AppendView(nil, key)
}

// list answers with a page of all endpoints.
func (m *managed) list() (status int, out []byte, err *Error) {
	q := m.r.URL.Query()
	limit := 1000
	if text := q.Get("limit"); text != "" {
		n, failed := strconv.Atoi(text)
		if failed != nil || n < 1 || n > limit {
			return 0, nil, &Error{Status: http.StatusBadRequest,
				Message: "limit must be a number from 1 to 1000.", Path: "limit"}
		}
		limit = n
	}
	cursor := q.Get("cursor")
	page, failed := m.host.KVList(tenant.Prefix, cursor, limit)
	switch {
	case failed == nil:
	case cursor != "" && strings.Contains(failed.Error(), " 400 "):
		return 0, nil, &Error{Status: http.StatusBadRequest,
			Message: "cursor must be that of the page before.", Path: "cursor"}
	default:
		return 0, nil, broken(failed)
	}
	return http.StatusOK, AppendList(nil, string(page), tenant.Prefix), nil
}

// make creates an endpoint.
func (m *managed) make() (status int, out []byte, err *Error) {
	body, err := m.body()
	if err != nil {
		return 0, nil, err
	}
	rec, first, forward, err := Create(body)
	if err != nil {
		return 0, nil, err
	}
	m.Name = rec.Name
	truth, err := m.truth()
	if err != nil {
		return 0, nil, err
	}
	switch _, found, err := m.stored(&truth); {
	case err != nil:
		return 0, nil, err
	case found:
		return 0, nil, m.existing()
	}
	truth.Renew()
	rec.Truth, rec.Rev, rec.ID = truth, truth.Rev, m.host.Random()
	key := ""
	if !forward {
		if key, _, err = m.newKey(rec, first); err != nil {
			return 0, nil, err.In("key")
		}
	}
	if err := m.keyed(m.save(rec)); err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, m.view(rec, rec.finished, key), nil
}

// delete deletes the endpoint with everything in its object, and leaves a tombstone there. Even if
// the endpoint is not found, delete writes the tombstone and deletes the copy in KV.
func (m *managed) delete() (status int, out []byte, err *Error) {
	for {
		truth, err := m.truth()
		if err != nil {
			return 0, nil, err
		}
		record, found, err := m.stored(&truth)
		if err != nil {
			return 0, nil, err
		}
		rec := New(m.Name)
		if found {
			header := m.r.Header.Get("if-match")
			loaded, err := Load(m.Name, record)
			if err == nil {
				rec = loaded
				err = rec.Match(header)
			}
			if err != nil && header != "" { // an unreadable record can be deleted without if-match
				return 0, nil, err
			}
		}
		// The usage of responses in the background counts, too. Those that begin meanwhile end below.
		made := max(truth.Made, rec.Created)
		stored.EndAll(m.host, endpoint.Object(m.Name), made)
		m.keepSums()
		rev := max(truth.Rev, rec.Rev) + 1
		statements := truth.Save(rev, made, "")
		statements.Add(archive.Drop(usage.Clear()))
		statements.Add(alert.Clear())
		if found {
			m.log(statements, rec, nil)
		}
		err = m.write(statements, rev, "", nil)
		stored.EndAll(m.host, endpoint.Object(m.Name), made)
		switch {
		case err == errOvertaken: // delete again, including the concurrent change
		case err != nil:
			return 0, nil, err
		case !found:
			return 0, nil, m.missing()
		default:
			return http.StatusNoContent, nil, nil
		}
	}
}

// newKey makes a key with the properties w and adds it to the record.
func (m *managed) newKey(rec *Record, w Wanted) (key, hash string, err *Error) {
	key = endpoint.NewKey(rec.Name, m.host.Random())
	hash, failed := m.host.Digest(key)
	if failed != nil {
		return "", "", broken(failed)
	}
	return key, hash, rec.AddKey(hash, w, m.now)
}

// body returns the request's body.
func (m *managed) body() (string, *Error) {
	body, failed := m.host.Body(MaxBody)
	switch {
	case failed == bridge.ErrTooLarge:
		return "", Refuse(http.StatusRequestEntityTooLarge, "The body is over the limit of 256 KB.")
	case failed != nil:
		return "", Refuse(http.StatusBadRequest, "The body could not be read: it ended early.")
	}
	return string(body), nil
}

// spreads adds a response header with a note: KV needs up to a minute to show a write everywhere.
func (m *managed) spreads() {
	m.note("other locations see this within a minute")
}

// note adds a note for the operator to the answer.
func (m *managed) note(text string) {
	if before := m.h.Get("x-edgelingua-note"); before != "" {
		text = before + "; " + text
	}
	m.h.Set("x-edgelingua-note", text)
}

// missing returns the error for an unknown endpoint.
func (m *managed) missing() *Error {
	return Refuse(http.StatusNotFound, "There is no endpoint "+m.Name+".")
}

// broken returns the error for a failed call of the host.
func broken(failed error) *Error {
	return Refuse(http.StatusInternalServerError, failed.Error())
}
