package admin

import (
	"net/http"
	"strconv"

	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/usage"
)

// usage answers with the usage of an endpoint. own is the id of the owner's key, or "" for the
// operator.
func (m *managed) usage(e *endpoint.Endpoint, own string) (status int, out []byte, err *Error) {
	days := usage.DefaultDays
	if text := m.r.URL.Query().Get("days"); text != "" {
		n, failed := strconv.Atoi(text)
		if failed != nil || n < 1 || n > usage.MaxDays {
			return 0, nil, &Error{Status: http.StatusBadRequest,
				Message: "days must be a number from 1 to 90.", Path: "days"}
		}
		days = n
	}
	if !e.Counts() {
		return http.StatusOK, usage.Append(nil, nil, &e.Limits), nil
	}
	rows, failed := m.host.Batch(e.Object(), usage.Read(faults.Clock(m.r), days, own, e.LogTime))
	if failed != nil {
		return 0, nil, broken(failed)
	}
	return http.StatusOK, usage.Append(nil, rows, &e.Limits), nil
}
