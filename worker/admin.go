//go:build js && wasm

package main

import (
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"edgelingua/translator/ir"
	"edgelingua/worker/admin"
	"edgelingua/worker/archive"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/usage"
)

// recordPrefix is what the keys of records in KV begin with.
const recordPrefix = "endpoint:"

// shortestAdminKey is how long ADMIN_KEY has to be, in characters.
const shortestAdminKey = 16

// managed is a request to the Admin API or the owner API.
type managed struct {
	admin.Call
	r   *http.Request
	w   http.ResponseWriter
	now int64 // Unix seconds
}

// manage answers a request to one of the two.
func (a *answer) manage(r *http.Request) {
	a.w.Header().Set("cache-control", "no-store")
	m := managed{r: r, w: a.w, now: time.Now().Unix()}
	status, out, err := m.run()
	if err != nil {
		status, out = err.Status, err.Append(nil)
		a.failed = ir.KindOfStatus(status)
	}
	if out == nil {
		a.send(status, "", js.Null())
		return
	}
	a.send(status, typeJSON, bridge.Bytes(out))
}

func (m *managed) run() (status int, out []byte, err *admin.Error) {
	if origin := m.r.Header.Get("origin"); origin != "" {
		if _, host, _ := strings.Cut(origin, "://"); host != m.r.URL.Host {
			return 0, nil, admin.Refuse(http.StatusForbidden, "Requests from pages of other sites are refused.")
		}
	}
	key, _ := credential(m.r, nil)
	if admin.IsAdmin(m.r.URL.Path) {
		if err := authorizeAdmin(key); err != nil {
			return 0, nil, err
		}
	}
	var ok bool
	switch m.Call, ok = admin.Find(m.r.Method, m.r.URL.Path); {
	case ok:
	case m.Allow == "":
		return 0, nil, admin.Refuse(http.StatusNotFound, "There is nothing at "+m.r.URL.Path+".")
	default:
		m.w.Header().Set("allow", m.Allow)
		return 0, nil, admin.Refuse(http.StatusMethodNotAllowed, m.r.URL.Path+" takes "+m.Allow+", not "+m.r.Method+".")
	}
	if m.Operation >= admin.Own {
		return m.own(key)
	}
	return m.administer()
}

// authorizeAdmin says whether key is the admin's.
func authorizeAdmin(key string) *admin.Error {
	want, _ := setting("ADMIN_KEY")
	switch {
	case len(want) < shortestAdminKey:
		return admin.Refuse(http.StatusForbidden, "This deployment has no ADMIN_KEY of 16 characters or more, so it refuses every request here. "+
			"Its owner sets one with `./build.sh secret put ADMIN_KEY` (locally: in .dev.vars).")
	case subtle.ConstantTimeCompare([]byte(want), []byte(key)) != 1:
		return admin.Refuse(http.StatusUnauthorized, "No key, or a wrong one. Send ADMIN_KEY as `Authorization: Bearer KEY`, or as the header `x-api-key`.")
	}
	return nil
}

func (m *managed) administer() (status int, out []byte, err *admin.Error) {
	switch m.Operation {
	case admin.List:
		return m.list()
	case admin.Make:
		return m.make()
	case admin.Delete:
		return m.delete()
	case admin.Test:
		return m.test()
	}
	rec, err := m.load()
	if err != nil {
		return 0, nil, err
	}
	switch m.Operation {
	case admin.Read:
		return http.StatusOK, rec.AppendView(nil, ""), nil
	case admin.Usage:
		return m.usage(rec)
	}
	if err := rec.Match(m.r.Header.Get("if-match")); err != nil {
		return 0, nil, err
	}
	return m.change(rec)
}

// change does what changes the record of an endpoint.
func (m *managed) change(rec *admin.Record) (status int, out []byte, err *admin.Error) {
	body, err := m.body()
	if err != nil {
		return 0, nil, err
	}
	key := ""
	status = http.StatusOK
	switch m.Operation {
	case admin.Change:
		err = rec.Patch(body)
	case admin.RevokeKey:
		err = rec.Revoke(m.ID)
	case admin.AddKey:
		status = http.StatusCreated
		var w admin.Wanted
		if w, err = admin.ReadWanted(body, admin.KeyFields); err == nil {
			key, _, err = m.newKey(rec, w)
		}
	case admin.Rotate:
		var w admin.Wanted
		if w, err = admin.ReadWanted(body, admin.RotateFields); err == nil {
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

func (m *managed) list() (status int, out []byte, err *admin.Error) {
	q := m.r.URL.Query()
	limit := 1000
	if text := q.Get("limit"); text != "" {
		n, failed := strconv.Atoi(text)
		if failed != nil || n < 1 || n > limit {
			return 0, nil, &admin.Error{Status: http.StatusBadRequest, Message: "limit must be a number from 1 to 1000.", Path: "limit"}
		}
		limit = n
	}
	cursor := q.Get("cursor")
	page, failed := bridge.KVList(recordPrefix, cursor, limit)
	switch {
	case failed == nil:
	case cursor != "" && strings.Contains(failed.Error(), " 400 "):
		return 0, nil, &admin.Error{Status: http.StatusBadRequest, Message: "cursor must be that of the page before.", Path: "cursor"}
	default:
		return 0, nil, broken(failed)
	}
	return http.StatusOK, admin.AppendList(nil, string(page), recordPrefix), nil
}

func (m *managed) make() (status int, out []byte, err *admin.Error) {
	body, err := m.body()
	if err != nil {
		return 0, nil, err
	}
	rec, first, forward, err := admin.Create(body)
	if err != nil {
		return 0, nil, err
	}
	switch _, _, found, failed := bridge.KVGet(recordKey(rec.Name)); {
	case failed != nil:
		return 0, nil, broken(failed)
	case found:
		return 0, nil, &admin.Error{Status: http.StatusConflict, Message: "There is an endpoint " + rec.Name + " already.", Path: "name"}
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

// delete deletes the record even where this location does not see it: another one may.
func (m *managed) delete() (status int, out []byte, err *admin.Error) {
	record, found, err := m.get()
	if err != nil {
		return 0, nil, err
	}
	if header := m.r.Header.Get("if-match"); header != "" && found {
		rec, err := admin.Load(m.Name, record)
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
	if failed := bridge.KVDelete(recordKey(m.Name)); failed != nil {
		return 0, nil, broken(failed)
	}
	m.spreads()
	if !found {
		return 0, nil, m.missing()
	}
	return http.StatusNoContent, nil, nil
}

// dropState deletes what the endpoint has stored and counted. It goes before the record: after a failure the deletion is asked for again.
func (m *managed) dropState() error {
	_, failed := bridge.Batch(endpoint.Object(m.Name), archive.Drop(usage.Clear(), m.now))
	if failed != nil && bridge.Unbound(failed) {
		return nil // so nothing was
	}
	return failed
}

// newKey adds a key to the record.
func (m *managed) newKey(rec *admin.Record, w admin.Wanted) (key, hash string, err *admin.Error) {
	key = endpoint.NewKey(rec.Name, bridge.Random())
	hash, failed := bridge.Digest(key)
	if failed != nil {
		return "", "", broken(failed)
	}
	return key, hash, rec.AddKey(hash, w, m.now)
}

// body reads the request's body.
func (m *managed) body() (string, *admin.Error) {
	body, failed := bridge.Body(admin.MaxBody)
	switch {
	case failed == bridge.ErrTooLarge:
		return "", admin.Refuse(http.StatusRequestEntityTooLarge, "The body is over the limit of 256 KB.")
	case failed != nil:
		return "", admin.Refuse(http.StatusBadRequest, "The body could not be read: it ended early.")
	}
	return string(body), nil
}

// load returns the record of the endpoint that the path names.
func (m *managed) load() (*admin.Record, *admin.Error) {
	record, found, err := m.get()
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, m.missing()
	}
	return admin.Load(m.Name, record)
}

func (m *managed) get() (record string, found bool, err *admin.Error) {
	if !endpoint.IsName(m.Name) {
		return "", false, m.missing()
	}
	value, _, found, failed := bridge.KVGet(recordKey(m.Name))
	if failed != nil {
		return "", false, broken(failed)
	}
	return string(value), found, nil
}

// store writes the record.
func (m *managed) store(rec *admin.Record) *admin.Error {
	record, metadata, err := rec.Finish(m.now, localAllowed(), admin.Sealer{Seal: bridge.Seal, Open: bridge.Open})
	if err != nil {
		return err
	}
	before, after := rec.Counts()
	if after && (m.Operation == admin.Make || m.Operation == admin.Change) {
		if err := m.prepare(rec.Name, !before); err != nil {
			return err
		}
	}
	if failed := bridge.KVPut(recordKey(rec.Name), []byte(record), metadata, 0); failed != nil {
		return broken(failed)
	}
	m.spreads()
	if before && !after {
		return m.clear()
	}
	return nil
}

// spreads says of a write what KV does with it.
func (m *managed) spreads() {
	m.w.Header().Set("x-edgelingua-note", "other locations see this within a minute")
}

func (m *managed) missing() *admin.Error {
	return admin.Refuse(http.StatusNotFound, "There is no endpoint "+m.Name+".")
}

// broken is the error for a host that can't do what it is told.
func broken(failed error) *admin.Error {
	return admin.Refuse(http.StatusInternalServerError, failed.Error())
}
