package host

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/responses"
	"edgelingua/wasmtest/store"
	"edgelingua/worker/archive"
	"edgelingua/worker/bridge"
)

// archived runs the program's statements in a store, as the bridge does, and returns their rows.
func archived(t *testing.T, s *store.Store, statements *bridge.Statements) *bridge.Rows {
	t.Helper()
	rows, err := s.Batch("o", unpack(statements.Packed()))
	require.NoError(t, err)
	return bridge.NewRows(pack(rows))
}

func responseID(n int) string { return "resp_" + strings.Repeat("a", 42) + string(rune('A'+n)) }

func TestArchive(t *testing.T) {
	s, err := store.Open("", time.Now)
	require.NoError(t, err)
	defer s.Close()
	const now = 1000
	large := `"` + strings.Repeat("é", 1<<20) + `"`
	write := func(n, parent int, expires int64, input, output string) {
		t.Helper()
		r := archive.Response{ID: responseID(n), Expires: expires, Hidden: n == 1, Input: input, Answer: &ir.Keep{Head: []byte("head["), Items: []byte(output), Tail: []byte("]tail")}}
		if parent >= 0 {
			r.Parent = responseID(parent)
		}
		statements, refused := r.Write(now)
		require.Nil(t, refused)
		archived(t, s, statements)
	}
	query := func(q archive.Query, now int64) (string, *ir.Error) {
		h, refused := q.Read(archived(t, s, q.Statements(now)))
		if refused != nil {
			return "", refused
		}
		require.Len(t, h.Append(nil), max(h.Size()-1, 0))
		return string(h.Append(nil)), nil
	}
	write(0, -1, now+10, large, "1")
	write(1, 0, now+20, "2,3", "")
	write(2, 0, now+20, "", "4")
	write(3, 1, now+20, "5", large+",6")

	for n, want := range []string{large + ",1", large + ",1,2,3", large + ",1,4", large + ",1,2,3,5," + large + ",6"} {
		got, refused := query(archive.Query{Previous: responseID(n)}, now)
		require.Nil(t, refused)
		require.True(t, want == got, n)
	}
	_, refused := query(archive.Query{Previous: responseID(3)}, now+10)
	require.Equal(t, responses.NoPrevious(responseID(0)), refused)
	_, refused = query(archive.Query{Previous: responseID(9)}, now)
	require.Equal(t, responses.NoPrevious(responseID(9)), refused)

	q := archive.Query{}
	for _, id := range []string{"x_" + responseID(3)[5:] + "_1", "x_" + responseID(1)[5:] + "_i1", "x_" + responseID(1)[5:] + "_0", "x_" + responseID(8)[5:] + "_0", "other"} {
		q.References = append(q.References, responses.Reference{ID: id})
	}
	h, refused := q.Read(archived(t, s, q.Statements(now)))
	require.Nil(t, refused)
	for i, want := range []ir.Raw{"6", "3", "", "", ""} {
		require.Equal(t, want, h.Item(q.References[i].ID))
	}

	f := archive.ReadResponse(archived(t, s, archive.Read(responseID(3), now)))
	require.True(t, f.Output == large+",6" && f.Head == "head[" && f.Tail == "]tail" && !f.Hidden)
	require.True(t, archive.ReadResponse(archived(t, s, archive.Read(responseID(1), now))).Hidden)
	require.Nil(t, archive.ReadResponse(archived(t, s, archive.Read(responseID(1), now+20))))
	require.True(t, archive.Was(archived(t, s, archive.Delete(responseID(2), now))))
	require.False(t, archive.Was(archived(t, s, archive.Delete(responseID(2), now))))

	statements := new(bridge.Statements).SQL(`WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT ?) ` +
		`INSERT INTO responses SELECT ? || i, CASE i WHEN 0 THEN NULL ELSE ? || (i - 1) END, 5000, 0, 1 FROM n`)
	archived(t, s, statements.Number(4097).String("deep").String("deep"))
	_, refused = query(archive.Query{Previous: "deep4095"}, now)
	require.Nil(t, refused)
	_, refused = query(archive.Query{Previous: "deep4096"}, now)
	require.Contains(t, refused.Message, "over 4,096 turns")
	archived(t, s, new(bridge.Statements).SQL(`UPDATE responses SET parent = 'deep0' WHERE id = 'deep0'`))
	_, refused = query(archive.Query{Previous: "deep0"}, now)
	require.Contains(t, refused.Message, "over 4,096 turns", "a circle ends")

	_, refused = (&archive.Response{Input: strings.Repeat("x", 16<<20), Answer: &ir.Keep{Items: []byte("1")}}).Write(now)
	require.Equal(t, 413, refused.HTTPStatus())
	archived(t, s, archive.Drop(new(bridge.Statements), now))
	_, refused = query(archive.Query{Previous: responseID(3)}, now)
	require.NotNil(t, refused)
}
