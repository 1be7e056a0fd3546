package totals

import (
	"strconv"
	"strings"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/usage"
)

// lists are the names of an overview's lists in JSON, in the order of the rows' kinds from -2.
var lists = [...]string{"today", "days", "endpoints", "models", "keys"}

// sum is a row of a list.
type sum struct {
	list    int // index in lists
	name    string
	numbers [7]float64 // in the order of sums
}

// failing is an upstream that has failed lately.
type failing struct {
	endpoint                    string
	upstream                    usage.UpstreamKey
	until, streak, status, time int64
}

// Result is an overview without what the endpoints' records say.
type Result struct {
	now           int64
	today         string
	sums          []sum
	failing       []failing
	failingCount  int64
	behind, stale int64
}

// ReadResult reads the rows of Overview.Read.
func ReadResult(rows *bridge.Rows) *Result {
	r := new(Result)
	number := func() int64 { return int64(rows.Value().Number) }
	text := func() string { return string(rows.Value().Bytes) }
	rows.Answer()
	for rows.Next() {
		s := sum{list: int(number()) + 2}
		rows.Value() // the place
		s.name = text()
		for i := range s.numbers {
			s.numbers[i] = rows.Value().Number
		}
		r.sums = append(r.sums, s)
	}
	for rows.Statement(); rows.Next(); {
		r.failing = append(r.failing, failing{text(), usage.UpstreamKey{Upstream: text(), Key: text()},
			number(), number(), number(), number()})
	}
	rows.Statement()
	rows.Next()
	r.now, r.today, r.failingCount, r.behind, r.stale = number(), text(), number(), number(), number()
	return r
}

// Named is an endpoint that a Result names.
type Named struct {
	Name               string // "": the deployment's endpoint
	*endpoint.Endpoint        // nil: the endpoint is deleted, or its record can't be read
}

// Named returns the endpoints that the result names, at most MostNames.
func (r *Result) Named() (all []Named) {
	add := func(name string) {
		if find(all, name) == nil {
			all = append(all, Named{Name: name})
		}
	}
	for i := range r.sums {
		switch s := &r.sums[i]; lists[s.list] {
		case "endpoints":
			add(s.name)
		case "keys":
			if name, _, ok := strings.Cut(s.name, " "); ok {
				add(name)
			}
		}
	}
	for i := 0; i < len(r.failing) && len(all) < MostNames; i++ {
		add(r.failing[i].endpoint)
	}
	return all
}

func find(all []Named, name string) *Named {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

// Append appends the JSON answer of GET /admin/api/overview (worker/admin/openapi.json). named has the
// endpoints of Named.
func (r *Result) Append(dst []byte, named []Named) []byte {
	dst = strconv.AppendInt(append(dst, `{"time":`...), r.now, 10)
	i := 0
	for list, name := range lists {
		dst = append(jsonw.AppendString(append(dst, ','), name), ':')
		if name == "today" {
			dst = r.appendSum(dst, &r.sums[0], named)
			i++
			continue
		}
		dst = append(dst, '[')
		from := len(dst)
		for ; i < len(r.sums) && r.sums[i].list == list; i++ {
			if len(dst) > from {
				dst = append(dst, ',')
			}
			dst = r.appendSum(dst, &r.sums[i], named)
		}
		dst = append(dst, ']')
	}
	dst = append(dst, `,"failing":[`...)
	more, written := r.failingCount, 0
	for i := 0; i < len(r.failing) && written < mostListed; i++ {
		f := &r.failing[i]
		n := find(named, f.endpoint)
		if n == nil { // one of more endpoints than MostNames
			continue
		}
		more--
		if !n.has(f.upstream) {
			continue
		}
		if written++; written > 1 {
			dst = append(dst, ',')
		}
		dst = jsonw.AppendString(append(dst, `{"endpoint":`...), f.endpoint)
		dst = jsonw.AppendString(append(dst, `,"upstream":`...), f.upstream.Upstream)
		dst = append(usage.AppendFailing(dst, r.now, f.until, f.streak, f.status, f.time), '}')
	}
	dst = strconv.AppendInt(append(dst, `],"more_failing":`...), more, 10)
	dst = strconv.AppendInt(append(dst, `,"behind":`...), r.behind, 10)
	dst = strconv.AppendBool(append(dst, `,"more":`...), r.behind+r.stale > 0)
	return append(dst, "}\n"...)
}

// has reports whether the endpoint still has the upstream with the same key.
func (n *Named) has(u usage.UpstreamKey) bool {
	if n.Endpoint == nil {
		return false
	}
	for _, now := range n.Health() {
		if now == u {
			return true
		}
	}
	return false
}

func (r *Result) appendSum(dst []byte, s *sum, named []Named) []byte {
	switch lists[s.list] {
	case "today":
		dst = jsonw.AppendString(append(dst, `{"day":`...), r.today)
	case "days":
		dst = jsonw.AppendString(append(dst, `{"day":`...), s.name)
	case "endpoints":
		dst = jsonw.AppendString(append(dst, `{"endpoint":`...), s.name)
		if n := find(named, s.name); n.Endpoint == nil {
			dst = append(dst, `,"deleted":true`...)
		} else if n.Disabled {
			dst = append(dst, `,"disabled":true`...)
		}
	case "models":
		dst = jsonw.AppendString(append(dst, `{"model":`...), s.name)
	default:
		dst = appendKey(dst, s.name, named)
	}
	for i, name := range [...]string{"requests", "errors", "input", "output", "cached", "usd", "unpriced"} {
		dst = append(jsonw.AppendString(append(dst, ','), name), ':')
		if name == "usd" {
			dst = usage.Cost(s.numbers[i]).Append(dst)
		} else {
			dst = strconv.AppendInt(dst, int64(s.numbers[i]), 10)
		}
	}
	return append(dst, '}')
}

// appendKey appends the key of a row: its endpoint, its id and, if the endpoint still has the key, its
// label. The row of all keys without a place in total_day has neither an endpoint nor an id.
func appendKey(dst []byte, name string, named []Named) []byte {
	of, id, ok := strings.Cut(name, " ")
	if !ok {
		return append(dst, `{"endpoint":null,"key":null`...)
	}
	dst = jsonw.AppendString(append(dst, `{"endpoint":`...), of)
	dst = jsonw.AppendString(append(dst, `,"key":`...), id)
	if n := find(named, of); n.Endpoint != nil {
		for i := range n.Keys {
			if k := &n.Keys[i]; endpoint.KeyID(k.Hash) == id && k.Label != "" {
				dst = jsonw.AppendString(append(dst, `,"label":`...), k.Label)
			}
		}
	}
	return dst
}
