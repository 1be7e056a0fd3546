package archive

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/responses"
	"edgelingua/worker/bridge"
)

// Page is which items of a response's input a client wants to see.
type Page struct {
	After     string // the id of the item in front of them, "" for none
	Limit     int
	Ascending bool
	Encrypted bool // with what carries reasoning to the next turn
}

// Getter returns the values of a query by their name; "" is none.
type Getter func(name string) string

// ReadPage reads the query of GET /v1/responses/{id}/input_items.
//
//go:noinline
func ReadPage(get Getter) (p Page, err *ir.Error) {
	p = Page{After: get("after"), Limit: 20}
	if text := get("limit"); text != "" {
		n, failed := strconv.Atoi(text)
		if failed != nil || n < 1 || n > 100 {
			return p, &ir.Error{Kind: ir.InvalidRequest, Path: "limit", Message: "'limit' must be a whole number from 1 to 100."}
		}
		p.Limit = n
	}
	switch get("order") {
	case "", "desc":
	case "asc":
		p.Ascending = true
	default:
		return p, &ir.Error{Kind: ir.InvalidRequest, Path: "order", Message: "'order' must be 'asc' or 'desc'."}
	}
	return p, nil
}

// AppendPage appends a page of the items that the last response of the conversation has answered: all but its own output.
//
//go:noinline
func (h *History) AppendPage(dst []byte, p Page) ([]byte, *ir.Error) {
	type place struct {
		turn  *turn
		index int
		item  ir.Raw
	}
	var all []place
	for i := range h.turns {
		t := &h.turns[i]
		if i == len(h.turns)-1 && t.kind == output {
			break
		}
		n := 0
		for r := jsonr.NewElements(t.items()); r.Element(); n++ {
			all = append(all, place{t, n, r.Value()})
		}
	}
	if !p.Ascending {
		for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
			all[i], all[j] = all[j], all[i]
		}
	}
	show := func(dst []byte, at place) []byte {
		if at.turn.kind == input {
			return responses.AppendInput(dst, string(at.item), at.turn.response, at.index, !p.Encrypted)
		}
		if p.Encrypted {
			return append(dst, at.item...)
		}
		return responses.AppendShown(dst, string(at.item))
	}
	begin := 0
	if p.After != "" {
		for shown := []byte(nil); begin < len(all); begin++ {
			if shown = show(shown[:0], all[begin]); responses.IDOf(ir.Raw(view(shown))) == p.After {
				break
			}
		}
		if begin == len(all) {
			return dst, &ir.Error{Kind: ir.InvalidRequest, Path: "after", Message: "There is no item '" + p.After + "' in this list."}
		}
		begin++
	}
	page := all[begin:min(begin+p.Limit, len(all))]
	size := len(dst) + 256
	for i := range page {
		size += len(page[i].item) + 128 // for an id
	}
	bridge.Reserve(size)
	dst = append(append(make([]byte, 0, size), dst...), `{"object":"list","data":[`...)
	ids := [2]string{}
	for i, at := range page {
		if i > 0 {
			dst = append(dst, ',')
		}
		from := len(dst)
		dst = show(dst, at)
		id := strings.Clone(responses.IDOf(ir.Raw(view(dst[from:]))))
		if i == 0 {
			ids[0] = id
		}
		ids[1] = id
	}
	dst = append(dst, `],"first_id":`...)
	dst = appendID(dst, ids[0])
	dst = append(dst, `,"last_id":`...)
	dst = appendID(dst, ids[1])
	dst = append(dst, `,"has_more":`...)
	dst = strconv.AppendBool(dst, begin+len(page) < len(all))
	return append(dst, '}'), nil
}

func appendID(dst []byte, id string) []byte {
	if id == "" {
		return append(dst, "null"...)
	}
	return jsonw.AppendString(dst, id)
}
