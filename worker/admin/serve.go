//go:build js && wasm

package admin

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"edgelingua/worker/archive"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/personal"
	"edgelingua/worker/settings"
	"edgelingua/worker/usage"
)

// managed is a request to the Admin API or the owner API.
type managed struct {
	Call
	signed
	r   *http.Request
	h   http.Header // of the answer
	now int64       // Unix seconds
}

// Serve answers a request to the Admin API or the owner API, whose client presented key. It returns the answer's status and body, nil for
// none, and sets further headers in h. refused: the body says why the request is refused.
func Serve(r *http.Request, h http.Header, key string) (status int, out []byte, refused bool) {
	m := managed{r: r, h: h, now: time.Now().Unix()}
	status, out, err := m.run(key)
	if err != nil {
		return err.Status, err.Append(nil), true
	}
	return status, out, false
}

// serveAdmin answers the admin.
func (m *managed) serveAdmin() (status int, out []byte, err *Error) {
	switch m.Operation {
	case List:
		return m.list()
	case Make:
		return m.make()
	case Delete:
		return m.delete()
	case Test:
		return m.test()
	}
	rec, err := m.load()
	if err != nil {
		return 0, nil, err
	}
	switch m.Operation {
	case Read:
		return http.StatusOK, rec.AppendView(nil, ""), nil
	case Usage:
		return m.usage(rec)
	}
	if err := rec.Match(m.r.Header.Get("if-match")); err != nil {
		return 0, nil, err
	}
	return m.change(rec)
}

// change does an operation that changes the record of an endpoint.
func (m *managed) change(rec *Record) (status int, out []byte, err *Error) {
	body, err := m.body()
	if err != nil {
		return 0, nil, err
	}
	key := ""
	status = http.StatusOK
	switch m.Operation {
	case Change:
		err = rec.Patch(body)
	case RevokeKey:
		err = rec.Revoke(m.ID)
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
		err = m.store(rec)
	}
	if err != nil {
		return 0, nil, err
	}
	return status, rec.AppendView(nil, key), nil
}

// list answers with a page of all endpoints.
func (m *managed) list() (status int, out []byte, err *Error) {
	q := m.r.URL.Query()
	limit := 1000
	if text := q.Get("limit"); text != "" {
		n, failed := strconv.Atoi(text)
		if failed != nil || n < 1 || n > limit {
			return 0, nil, &Error{Status: http.StatusBadRequest, Message: "limit must be a number from 1 to 1000.", Path: "limit"}
		}
		limit = n
	}
	cursor := q.Get("cursor")
	page, failed := bridge.KVList(personal.Prefix, cursor, limit)
	switch {
	case failed == nil:
	case cursor != "" && strings.Contains(failed.Error(), " 400 "):
		return 0, nil, &Error{Status: http.StatusBadRequest, Message: "cursor must be that of the page before.", Path: "cursor"}
	default:
		return 0, nil, broken(failed)
	}
	return http.StatusOK, AppendList(nil, string(page), personal.Prefix), nil
}

// make makes an endpoint.
func (m *managed) make() (status int, out []byte, err *Error) {
	body, err := m.body()
	if err != nil {
		return 0, nil, err
	}
	rec, first, forward, err := Create(body)
	if err != nil {
		return 0, nil, err
	}
	switch _, _, found, failed := bridge.KVGet(personal.RecordKey(rec.Name)); {
	case failed != nil:
		return 0, nil, broken(failed)
	case found:
		return 0, nil, &Error{Status: http.StatusConflict, Message: "There is an endpoint " + rec.Name + " already.", Path: "name"}
	}
	key := ""
	if !forward {
		if key, _, err = m.newKey(rec, first); err != nil {
			return 0, nil, err.In("key")
		}
	}
	if err := m.store(rec); err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, rec.AppendView(nil, key), nil
}

// delete deletes the endpoint. The record is deleted in KV even where it is not found: this location may not see it yet.
func (m *managed) delete() (status int, out []byte, err *Error) {
	record, found, err := m.get()
	if err != nil {
		return 0, nil, err
	}
	if header := m.r.Header.Get("if-match"); header != "" && found {
		rec, err := Load(m.Name, record)
		if err == nil {
			err = rec.Match(header)
		}
		if err != nil {
			return 0, nil, err
		}
	}
	if failed := m.dropState(); failed != nil {
		return 0, nil, broken(failed)
	}
	if failed := bridge.KVDelete(personal.RecordKey(m.Name)); failed != nil {
		return 0, nil, broken(failed)
	}
	m.spreads()
	if !found {
		return 0, nil, m.missing()
	}
	return http.StatusNoContent, nil, nil
}

// dropState deletes stored responses and usage. That comes before the record: after a failure, the client asks for the deletion again.
func (m *managed) dropState() error {
	_, failed := bridge.Batch(endpoint.Object(m.Name), archive.Drop(usage.Clear(), m.now))
	if failed != nil && bridge.Unbound(failed) {
		return nil // without ENDPOINT_STATE nothing is stored
	}
	return failed
}

// newKey makes a key and adds it to the record, as a request wants it.
func (m *managed) newKey(rec *Record, w Wanted) (key, hash string, err *Error) {
	key = endpoint.NewKey(rec.Name, bridge.Random())
	hash, failed := bridge.Digest(key)
	if failed != nil {
		return "", "", broken(failed)
	}
	return key, hash, rec.AddKey(hash, w, m.now)
}

// body returns the request's body.
func (m *managed) body() (string, *Error) {
	body, failed := bridge.Body(MaxBody)
	switch {
	case failed == bridge.ErrTooLarge:
		return "", Refuse(http.StatusRequestEntityTooLarge, "The body is over the limit of 256 KB.")
	case failed != nil:
		return "", Refuse(http.StatusBadRequest, "The body could not be read: it ended early.")
	}
	return string(body), nil
}

// load returns the record of the endpoint that the path names, which has to be there.
func (m *managed) load() (*Record, *Error) {
	record, found, err := m.get()
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, m.missing()
	}
	return Load(m.Name, record)
}

// get returns the record of the endpoint that the path names, as KV has it.
func (m *managed) get() (record string, found bool, err *Error) {
	if !endpoint.IsName(m.Name) {
		return "", false, m.missing()
	}
	value, _, found, failed := bridge.KVGet(personal.RecordKey(m.Name))
	if failed != nil {
		return "", false, broken(failed)
	}
	return string(value), found, nil
}

// store seals and writes the record. Where the endpoint counts requests from now on, or does not any more, its object is made ready
// before that, or cleared after it.
func (m *managed) store(rec *Record) *Error {
	record, metadata, err := rec.Finish(m.now, settings.LocalUpstreams(), Sealer{Seal: bridge.Seal, Open: bridge.Open})
	if err != nil {
		return err
	}
	before, after := rec.Counts()
	if after && (m.Operation == Make || m.Operation == Change) {
		if err := m.prepare(rec.Name, !before); err != nil {
			return err
		}
	}
	if failed := bridge.KVPut(personal.RecordKey(rec.Name), []byte(record), metadata, 0); failed != nil {
		return broken(failed)
	}
	m.spreads()
	if before && !after {
		return m.clear()
	}
	return nil
}

// spreads says in the answer's head that KV takes up to a minute to show a write everywhere.
func (m *managed) spreads() {
	m.h.Set("x-edgelingua-note", "other locations see this within a minute")
}

// missing returns the error for an endpoint that is not there.
func (m *managed) missing() *Error {
	return Refuse(http.StatusNotFound, "There is no endpoint "+m.Name+".")
}

// broken returns the error for a failed call of the host.
func broken(failed error) *Error {
	return Refuse(http.StatusInternalServerError, failed.Error())
}
