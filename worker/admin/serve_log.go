package admin

import (
	"net/http"
	"strconv"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/usage"
)

// requests answers with a page of the request log of an endpoint. own is the id of the owner's key,
// whose requests alone are shown, or "" for the operator.
func (m *managed) requests(e *endpoint.Endpoint, own string) (status int, out []byte, err *Error) {
	q := m.r.URL.Query()
	f := usage.Find{Clock: faults.Clock(m.r), Own: own, LogTime: e.LogTime, Status: q.Get("status"),
		Model: q.Get("model"), Key: q.Get("key"), Upstream: q.Get("upstream"), Client: q.Get("client"),
		Session: q.Get("session"), Limit: 50}
	if account := accountOf(e.Keys, f.Key); account != "" && own == "" {
		f.Key = account
	}
	whole := func(to *int64, name string, least, most int64, message string) {
		text := q.Get(name)
		if text == "" || err != nil {
			return
		}
		n, failed := strconv.ParseInt(text, 10, 64)
		if failed != nil || n < least || n > most {
			err = &Error{Status: http.StatusBadRequest, Message: message, Path: name}
		}
		*to = n
	}
	const seconds = " must be a time in Unix seconds."
	whole(&f.Limit, "limit", 1, 200, "limit must be a number from 1 to 200.")
	whole(&f.From, "from", 0, 1<<40, "from"+seconds)
	whole(&f.Until, "until", 1, 1<<40, "until"+seconds)
	if f.Status != "ok" && f.Status != "error" {
		var n int64
		whole(&n, "status", 400, 599, "status must be ok, error, or a status from 400 to 599.")
	}
	var known bool
	if f.Cursor, known = usage.ReadCursor(q.Get("cursor")); !known && err == nil {
		err = &Error{Status: http.StatusBadRequest, Message: "cursor must be that of the page before.",
			Path: "cursor"}
	}
	if err != nil {
		return 0, nil, err
	}
	rows, err := m.readLog(e, f.Statements())
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, f.Append(nil, rows), nil
}

// sessions answers with the sums of the sessions of an endpoint. own is as for requests.
func (m *managed) sessions(e *endpoint.Endpoint, own string) (status int, out []byte, err *Error) {
	rows, err := m.readLog(e, usage.Sessions(faults.Clock(m.r), own, e.LogTime))
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, usage.AppendSessions(nil, rows), nil
}

// readLog runs statements on the log of an endpoint, or returns nil if the endpoint has no log.
func (m *managed) readLog(e *endpoint.Endpoint, s *bridge.Statements) (*bridge.Rows, *Error) {
	if e.LogTime == 0 {
		return nil, nil
	}
	rows, failed := m.host.Batch(e.Object(), s)
	if failed != nil {
		return nil, broken(failed)
	}
	return rows, nil
}
