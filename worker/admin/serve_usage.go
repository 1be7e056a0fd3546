//go:build js && wasm

package admin

import (
	"net/http"
	"strconv"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/usage"
)

// usage answers with the usage of an endpoint.
func (m *managed) usage(rec *Record) (status int, out []byte, err *Error) {
	days := usage.DefaultDays
	if text := m.r.URL.Query().Get("days"); text != "" {
		n, failed := strconv.Atoi(text)
		if failed != nil || n < 1 || n > usage.MaxDays {
			return 0, nil, &Error{Status: http.StatusBadRequest, Message: "days must be a number from 1 to 90.", Path: "days"}
		}
		days = n
	}
	e := rec.Endpoint()
	if !e.Counts() {
		return http.StatusOK, usage.Append(nil, nil, &e.Limits), nil
	}
	rows, failed := bridge.Batch(endpoint.Object(rec.Name), usage.Read(faults.Clock(m.r), days))
	if failed != nil {
		return 0, nil, broken(failed)
	}
	return http.StatusOK, usage.Append(nil, rows, &e.Limits), nil
}

// prepare makes the object of an endpoint ready to count requests, and sees that it can. fresh: the endpoint counted none so far.
func (m *managed) prepare(name string, fresh bool) *Error {
	if _, failed := bridge.Batch(endpoint.Object(name), usage.Prepare(fresh)); failed != nil {
		return Refuse(http.StatusInternalServerError, "Usage and limits can't be kept, so nothing was stored. "+failed.Error())
	}
	return nil
}

// clear deletes the usage of an endpoint that does not count requests any more.
func (m *managed) clear() *Error {
	if _, failed := bridge.Batch(endpoint.Object(m.Name), usage.Clear()); failed != nil {
		return Refuse(http.StatusInternalServerError, "That is done, but the usage so far was not deleted. "+failed.Error())
	}
	return nil
}
