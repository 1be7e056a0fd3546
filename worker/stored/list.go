package stored

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/responses"
	"edgelingua/worker/bridge"
	"edgelingua/worker/stored/archive"
)

// page is a client's query for input items of a response.
type page struct {
	after     string // the id of the last item before the page; "": none
	limit     int
	ascending bool // oldest first
	encrypted bool // with the encrypted_content of reasoning
}

// readPage reads the query of GET /v1/responses/ID/input_items.
func readPage(q url.Values) (p page, err error) {
	p = page{after: q.Get("after"), limit: 20, encrypted: wantsEncrypted(q)}
	if text := q.Get("limit"); text != "" {
		n, failed := strconv.Atoi(text)
		if failed != nil || n < 1 || n > 100 {
			return p, &ir.Error{Kind: ir.InvalidRequest, Path: "limit",
				Message: "'limit' must be a whole number from 1 to 100."}
		}
		p.limit = n
	}
	switch q.Get("order") {
	case "", "desc":
	case "asc":
		p.ascending = true
	default:
		return p, &ir.Error{Kind: ir.InvalidRequest, Path: "order",
			Message: "'order' must be 'asc' or 'desc'."}
	}
	return p, nil
}

// listItem is an item of the list that is divided into pages.
type listItem struct {
	side  *archive.Side
	index int // in the side
	item  ir.Raw
}

// listOf returns the input of a conversation's last response, oldest first: all items except the
// response's own output.
func listOf(h *archive.History) (all []listItem) {
	for i := range h.Sides {
		s := &h.Sides[i]
		if i == len(h.Sides)-1 && !s.Input {
			break
		}
		n := 0
		for r := jsonr.NewElements(s.Items()); r.Element(); n++ {
			all = append(all, listItem{s, n, r.Value()})
		}
	}
	return all
}

// append appends the page of the input items of a conversation's last response, as the answer's
// JSON.
func (p *page) append(dst []byte, h *archive.History) ([]byte, error) {
	all := listOf(h)
	if !p.ascending {
		slices.Reverse(all)
	}
	begin, err := p.begin(all)
	if err != nil {
		return dst, err
	}
	shown := all[begin:min(begin+p.limit, len(all))]
	size := len(dst) + 256
	for i := range shown {
		size += len(shown[i].item) + 128 // for an id
	}
	bridge.Reserve(size)
	dst = append(append(make([]byte, 0, size), dst...), `{"object":"list","data":[`...)
	first, last := "", ""
	for i := range shown {
		if i > 0 {
			dst = append(dst, ',')
		}
		from := len(dst)
		dst = p.appendItem(dst, &shown[i])
		last = strings.Clone(responses.IDOf(ir.Raw(jsonw.View(dst[from:]))))
		if i == 0 {
			first = last
		}
	}
	dst = append(dst, `],"first_id":`...)
	dst = appendID(dst, first)
	dst = append(dst, `,"last_id":`...)
	dst = appendID(dst, last)
	dst = append(dst, `,"has_more":`...)
	dst = strconv.AppendBool(dst, begin+len(shown) < len(all))
	return append(dst, '}'), nil
}

// begin returns the index in all of the page's first item.
func (p *page) begin(all []listItem) (int, error) {
	if p.after == "" {
		return 0, nil
	}
	var item []byte
	for i := range all {
		if item = p.appendItem(item[:0], &all[i]); responses.IDOf(ir.Raw(jsonw.View(item))) == p.after {
			return i + 1, nil
		}
	}
	return 0, &ir.Error{Kind: ir.InvalidRequest, Path: "after", Message: "There is no item '" + p.after +
		"' in this list."}
}

// appendItem appends an item in the client's form.
func (p *page) appendItem(dst []byte, l *listItem) []byte {
	switch {
	case l.side.Input:
		return responses.AppendInput(dst, string(l.item), l.side.Response, l.index, !p.encrypted)
	case p.encrypted:
		return append(dst, l.item...)
	}
	return responses.AppendShown(dst, string(l.item))
}

// appendID appends an item's id, or null for none.
func appendID(dst []byte, id string) []byte {
	if id == "" {
		return append(dst, "null"...)
	}
	return jsonw.AppendString(dst, id)
}
