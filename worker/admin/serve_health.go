package admin

import (
	"net/http"
	"strconv"

	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/tenant"
	"edgelingua/worker/usage"
)

// mostAtOnce is the number of endpoints in an answer at most. Each endpoint needs two calls of
// storage, and Workers' free plan allows 50 calls per request.
const mostAtOnce = 20

// health answers with the health of endpoints and their upstreams: the endpoints that the query
// names, or the next ones after its cursor.
func (m *managed) health() (status int, out []byte, err *Error) {
	q := m.r.URL.Query()
	names, cursor := q["name"], ""
	if len(names) > mostAtOnce {
		return 0, nil, &Error{Status: http.StatusBadRequest, Message: "At most " + strconv.Itoa(mostAtOnce) +
			" names at once.", Path: "name"}
	}
	if len(names) == 0 {
		page, failed := m.host.KVList(tenant.Prefix, q.Get("cursor"), mostAtOnce)
		if failed != nil {
			return 0, nil, broken(failed)
		}
		list := gjson.Parse(string(page))
		get(list, "keys").ForEach(func(_, key gjson.Result) bool {
			names = append(names, get(key, "name").Str[len(tenant.Prefix):])
			return true
		})
		cursor = get(list, "cursor").Str
	}
	out = append(out, `{"endpoints":[`...)
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = m.appendHealth(out, name); err != nil {
			return 0, nil, err
		}
	}
	out = append(out, ']')
	if cursor != "" {
		out = jsonw.AppendString(append(out, `,"cursor":`...), cursor)
	}
	return http.StatusOK, append(out, "}\n"...), nil
}

// appendHealth appends the health of an endpoint. An unknown endpoint is appended without
// upstreams.
func (m *managed) appendHealth(out []byte, name string) ([]byte, *Error) {
	out = append(jsonw.AppendString(append(out, `{"name":`...), name), ',')
	if !endpoint.IsName(name) {
		return nil, &Error{Status: http.StatusBadRequest, Message: "name must be that of an endpoint.",
			Path: "name"}
	}
	record, _, found, failed := m.host.KVGet(tenant.RecordKey(name))
	if failed != nil {
		return nil, broken(failed)
	}
	var upstreams []usage.UpstreamKey
	var rows *bridge.Rows
	var unpriced []string
	if e, wrong := endpoint.Parse(name, string(record)); found && wrong == nil {
		upstreams, unpriced = e.Health(), e.Unpriced(m.host.Prices)
		if e.Counts() {
			if rows, failed = m.host.Batch(e.Object(), usage.Overview(faults.Clock(m.r))); failed != nil {
				return nil, broken(failed)
			}
		}
	}
	return append(appendUnpriced(usage.AppendOverview(out, rows, upstreams), unpriced), '}'), nil
}
