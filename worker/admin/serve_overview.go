package admin

import (
	"net/http"

	"github.com/tidwall/gjson"

	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/tenant"
	"edgelingua/worker/totals"
	"edgelingua/worker/usage"
)

// overview answers with the sums of all endpoints.
func (m *managed) overview() (status int, out []byte, err *Error) {
	o := totals.Overview{Clock: faults.Clock(m.r)}
	if o.Span, err = m.span(); err != nil {
		return 0, nil, err
	}
	rows, failed := m.host.Batch(totals.Object, totals.Pending(o.Clock))
	if failed != nil {
		return 0, nil, broken(failed)
	}
	var pending []totals.Waiting
	pending, o.Search = totals.ReadPending(rows)
	if pending, err = m.search(pending, &o.Search); err != nil {
		return 0, nil, err
	}
	for _, p := range pending {
		c, failed := m.collect(p.Name, p.Merged)
		switch {
		case failed == nil:
			o.Texts = append(o.Texts, c.Text)
		case usage.NoUsage(failed):
			o.Without = append(o.Without, p.Name)
		default:
			o.Broken = append(o.Broken, p.Name)
		}
	}
	if rows, failed = m.host.Batch(totals.Object, o.Read()); failed != nil {
		return 0, nil, broken(failed)
	}
	r := totals.ReadResult(rows)
	named := r.Named()
	for i := range named {
		if named[i].Endpoint, err = m.named(named[i].Name); err != nil {
			return 0, nil, err
		}
	}
	return http.StatusOK, r.Append(nil, named), nil
}

// search adds endpoints to pending, up to totals.MostPending, as long as the search for usage of
// earlier versions goes on.
func (m *managed) search(pending []totals.Waiting, s *totals.Search) ([]totals.Waiting, *Error) {
	most := totals.MostPending - len(pending)
	if s.Done || most < 2 {
		return pending, nil
	}
	if s.Cursor == "" {
		pending = append(pending, totals.Waiting{})
		most--
	}
	page, failed := m.host.KVList(tenant.Prefix, s.Cursor, most)
	if failed != nil {
		return nil, broken(failed)
	}
	list := gjson.ParseBytes(page)
	get(list, "keys").ForEach(func(_, key gjson.Result) bool {
		pending = append(pending, totals.Waiting{Name: get(key, "name").Str[len(tenant.Prefix):]})
		return true
	})
	s.Cursor = get(list, "cursor").Str
	s.Done = s.Cursor == ""
	return pending, nil
}

// collect returns a text with the sums of an endpoint. merged is the last merged text.
func (m *managed) collect(name string, merged usage.Merged) (c usage.Collected, failed error) {
	rows, failed := m.host.Batch(endpoint.Object(name), usage.Collect(faults.Clock(m.r), name, merged))
	if failed != nil {
		return c, failed
	}
	return usage.ReadCollected(rows), nil
}

// keepSums adds the sums of the endpoint in the path to the overview before its usage is deleted: what
// was spent stays spent. A failure does not prevent the deletion.
func (m *managed) keepSums() {
	var c usage.Collected
	var failed error
	for n := 0; n < usage.MaxTexts && failed == nil && !c.Settled; n++ {
		if c, failed = m.collect(m.Name, c.Merged); failed == nil {
			_, failed = m.host.Batch(totals.Object, totals.MergeText(c.Text))
		}
	}
	if failed == nil {
		_, failed = m.host.Batch(totals.Object, totals.ForgetHealth(m.Name, false))
	}
	if failed == nil && !c.Settled || failed != nil && !usage.NoUsage(failed) {
		m.note("the overview lacks the endpoint's last requests")
	}
}

// named returns the endpoint called name, or nil if it does not exist or its record can't be read.
func (m *managed) named(name string) (*endpoint.Endpoint, *Error) {
	if name == "" {
		e, _ := endpoint.Load(m.host.Setting)
		return e, nil
	}
	record, _, found, failed := m.host.KVGet(tenant.RecordKey(name))
	if failed != nil {
		return nil, broken(failed)
	}
	if !found {
		return nil, nil
	}
	e, _ := endpoint.Parse(name, string(record))
	return e, nil
}
