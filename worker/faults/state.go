//go:build faults

package faults

import (
	"encoding/base64"
	"net/http"
	"strconv"

	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
)

// Asks reports whether a request has the header x-test-state.
func Asks(r *http.Request) bool { return r.Header.Get("x-test-state") != "" }

// State makes the single call of the bridge that the header x-test-state names, on the deployment's
// state or its secrets. The arguments come from the request's query and body. State returns the
// status and body of the answer, and sets further headers in h.
func State(host bridge.Host, r *http.Request, h http.Header) (status int, out []byte) {
	operation := r.Header.Get("x-test-state")
	q := r.URL.Query()
	number := func(name string) int {
		n, _ := strconv.Atoi(q.Get(name))
		return n
	}
	body, err := host.Body(32 << 20)
	found := true
	switch operation {
	case "get":
		var metadata []byte
		out, metadata, found, err = host.KVGet(q.Get("key"))
		h.Set("x-metadata", string(metadata))
	case "put":
		err = host.KVPut(q.Get("key"), body, q.Get("metadata"), int64(number("expiration")))
	case "delete":
		err = host.KVDelete(q.Get("key"))
	case "list":
		out, err = host.KVList(q.Get("prefix"), q.Get("cursor"), number("limit"))
	case "batch":
		out, err = testBatch(host, q.Get("object"), body)
	default:
		out, found, err = secret(host, operation, q.Get("context"), string(body), h)
	}
	status = http.StatusOK
	switch {
	case err != nil:
		status, out = http.StatusBadRequest, []byte(err.Error())
	case !found:
		status = http.StatusNotFound
	}
	return status, out
}

// testBatch runs a JSON array of statements and returns an array of rows for each. A statement is
// an array of SQL and arguments. A blob is an object with the blob's base64.
func testBatch(host bridge.Host, object string, batch []byte) ([]byte, error) {
	var statements bridge.Statements
	list := gjson.ParseBytes(batch).Array()
	for _, statement := range list {
		parts := statement.Array()
		statements.SQL(parts[0].String())
		for _, v := range parts[1:] {
			switch v.Type {
			case gjson.Null:
				statements.Null()
			case gjson.Number:
				statements.Number(v.Float())
			case gjson.String:
				statements.String(v.String())
			default:
				blob, err := base64.StdEncoding.DecodeString(v.Get("blob").String())
				if err != nil {
					return nil, err
				}
				statements.Blob(string(blob))
			}
		}
	}
	rows, err := host.Batch(object, &statements)
	if err != nil {
		return nil, err
	}
	out := []byte{'['}
	for i := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendRows(out, rows, rows.Columns())
		if i < len(list)-1 {
			rows.Statement()
		}
	}
	return append(out, ']'), nil
}

func appendRows(out []byte, rows *bridge.Rows, columns int) []byte {
	out = append(out, '[')
	for first := true; rows.Next(); first = false {
		if !first {
			out = append(out, ',')
		}
		for i := range columns {
			out = append(out, "[,"[min(i, 1)])
			switch v := rows.Value(); v.Kind {
			case bridge.Null:
				out = append(out, "null"...)
			case bridge.Number:
				out = strconv.AppendFloat(out, v.Number, 'g', -1, 64)
			case bridge.String:
				out = jsonw.AppendString(out, string(v.Bytes))
			case bridge.Blob:
				out = append(out, `{"blob":"`+base64.StdEncoding.EncodeToString(v.Bytes)+`"}`...)
			}
		}
		out = append(out, ']')
	}
	return append(out, ']')
}
