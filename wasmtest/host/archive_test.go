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
		r := archive.Response{ID: responseID(n), Expires: expires, Hidden: n == 1, Input: input, Head: "head[", Output: output, Tail: "]tail"}
		if parent >= 0 {
			r.Parent = responseID(parent)
		}
		archived(t, s, r.Write(now))
	}
	query := func(q archive.Query, now int64) (string, *archive.Problem) {
		h, problem := q.Read(archived(t, s, q.Statements(now)))
		if problem != nil {
			return "", problem
		}
		require.Len(t, h.Append(nil), max(h.Size()-1, 0))
		return string(h.Append(nil)), nil
	}
	write(0, -1, now+10, large, "1")
	write(1, 0, now+20, "2,3", "")
	write(2, 0, now+20, "", "4")
	write(3, 1, now+20, "5", large+",6")

	for n, want := range []string{large + ",1", large + ",1,2,3", large + ",1,4", large + ",1,2,3,5," + large + ",6"} {
		got, problem := query(archive.Query{Previous: responseID(n)}, now)
		require.Nil(t, problem)
		require.True(t, want == got, n)
	}
	_, problem := query(archive.Query{Previous: responseID(3)}, now+10)
	require.Equal(t, &archive.Problem{Missing: responseID(0)}, problem)
	_, problem = query(archive.Query{Previous: responseID(9)}, now)
	require.Equal(t, &archive.Problem{Missing: responseID(9)}, problem)

	q := archive.Query{}
	ids := []string{"x_" + responseID(3)[5:] + "_1", "x_" + responseID(1)[5:] + "_i1", "x_" + responseID(1)[5:] + "_0", "x_" + responseID(8)[5:] + "_0", "other"}
	for _, id := range ids {
		at, _ := responses.Place(id)
		q.Named = append(q.Named, at.Response)
	}
	h, problem := q.Read(archived(t, s, q.Statements(now)))
	require.Nil(t, problem)
	require.True(t, h.Items(responseID(3), false) == large+",6")
	for i, want := range []ir.Raw{"6", "3", "", "", ""} {
		at, _ := responses.Place(ids[i])
		require.Equal(t, want, responses.Item(h.Items(at.Response, at.Input), at.Index))
	}

	f := archive.ReadResponse(archived(t, s, archive.Read(responseID(3), now)))
	require.True(t, f.Output == large+",6" && f.Head == "head[" && f.Tail == "]tail" && !f.Hidden)
	require.True(t, archive.ReadResponse(archived(t, s, archive.Read(responseID(1), now))).Hidden)
	require.Nil(t, archive.ReadResponse(archived(t, s, archive.Read(responseID(1), now+20))))
	require.True(t, archive.Existed(archived(t, s, archive.Delete(responseID(2), now))))
	require.False(t, archive.Existed(archived(t, s, archive.Delete(responseID(2), now))))

	statements := new(bridge.Statements).SQL(`WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT ?) ` +
		`INSERT INTO responses SELECT ? || i, CASE i WHEN 0 THEN NULL ELSE ? || (i - 1) END, 5000, 0, 1 FROM n`)
	archived(t, s, statements.Number(4097).String("deep").String("deep"))
	_, problem = query(archive.Query{Previous: "deep4095"}, now)
	require.Nil(t, problem)
	_, problem = query(archive.Query{Previous: "deep4096"}, now)
	require.Equal(t, &archive.Problem{Turns: 4096}, problem)
	archived(t, s, new(bridge.Statements).SQL(`UPDATE responses SET parent = 'deep0' WHERE id = 'deep0'`))
	_, problem = query(archive.Query{Previous: "deep0"}, now)
	require.Equal(t, &archive.Problem{Turns: 4096}, problem, "a circle ends")

	require.Equal(t, archive.MaxResponse+1, (&archive.Response{Input: strings.Repeat("x", 16<<20), Head: "head", Output: "1"}).Size())
	archived(t, s, archive.Drop(new(bridge.Statements)))
	_, problem = query(archive.Query{Previous: responseID(3)}, now)
	require.Equal(t, &archive.Problem{Missing: responseID(3)}, problem)
}
