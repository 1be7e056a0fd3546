package host

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/responses"
	"edgelingua/wasmtest/store"
	"edgelingua/worker/bridge"
	"edgelingua/worker/stored/archive"
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
		r := archive.Response{ID: responseID(n), Expires: expires, Hidden: n == 1, Input: input,
			Head: "head[", Output: output, Tail: "]tail", Most: 1 << 30}
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

	for n, want := range []string{large + ",1", large + ",1,2,3", large + ",1,4",
		large + ",1,2,3,5," + large + ",6"} {
		got, problem := query(archive.Query{Previous: responseID(n)}, now)
		require.Nil(t, problem)
		require.True(t, want == got, n)
	}
	_, problem := query(archive.Query{Previous: responseID(3)}, now+10)
	require.Equal(t, &archive.Problem{Missing: responseID(0)}, problem)
	_, problem = query(archive.Query{Previous: responseID(9)}, now)
	require.Equal(t, &archive.Problem{Missing: responseID(9)}, problem)

	q := archive.Query{}
	ids := []string{"x_" + responseID(3)[5:] + "_1", "x_" + responseID(1)[5:] + "_i1",
		"x_" + responseID(1)[5:] + "_0", "x_" + responseID(8)[5:] + "_0", "other"}
	for _, id := range ids {
		at, _ := responses.ParseItemID(id)
		q.Named = append(q.Named, at.Response)
	}
	h, problem := q.Read(archived(t, s, q.Statements(now)))
	require.Nil(t, problem)
	require.True(t, h.Items(responseID(3), false) == large+",6")
	for i, want := range []ir.Raw{"6", "3", "", "", ""} {
		at, _ := responses.ParseItemID(ids[i])
		require.Equal(t, want, responses.Item(h.Items(at.Response, at.Input), at.Index))
	}

	f := archive.ReadResponse(archived(t, s, archive.Read(responseID(3), now)))
	require.True(t, f.Output == large+",6" && f.Head == "head[" && f.Tail == "]tail" && !f.Hidden)
	require.True(t, archive.ReadResponse(archived(t, s, archive.Read(responseID(1), now))).Hidden)
	require.Nil(t, archive.ReadResponse(archived(t, s, archive.Read(responseID(1), now+20))))
	require.True(t, archive.Existed(archived(t, s, archive.Delete(responseID(2), now))))
	require.False(t, archive.Existed(archived(t, s, archive.Delete(responseID(2), now))))

	statements := new(bridge.Statements).SQL(`WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 ` +
		`FROM n LIMIT ?) ` +
		`INSERT INTO responses SELECT ? || i, CASE i WHEN 0 THEN NULL ELSE ? || (i - 1) END, 5000, 0, ` +
		`1 FROM n`)
	archived(t, s, statements.Number(4097).String("deep").String("deep"))
	_, problem = query(archive.Query{Previous: "deep4095"}, now)
	require.Nil(t, problem)
	_, problem = query(archive.Query{Previous: "deep4096"}, now)
	require.Equal(t, &archive.Problem{Responses: 4096}, problem)
	archived(t, s, new(bridge.Statements).SQL(`UPDATE responses SET parent = 'deep0' WHERE id = 'deep0'`))
	_, problem = query(archive.Query{Previous: "deep0"}, now)
	require.Equal(t, &archive.Problem{Responses: 4096}, problem, "a circle ends")

	require.Equal(t, archive.MaxResponse+1, (&archive.Response{Input: strings.Repeat("x", 16<<20),
		Head: "head", Output: "1"}).Size())
	archived(t, s, archive.Drop(new(bridge.Statements)))
	_, problem = query(archive.Query{Previous: responseID(3)}, now)
	require.Equal(t, &archive.Problem{Missing: responseID(3)}, problem)
}

// TestArchiveQuota: responses are stored up to the last byte of their total limit, also after
// deletions, expirations, or responses stored by a version that did not count.
func TestArchiveQuota(t *testing.T) {
	s, err := store.Open("", time.Now)
	require.NoError(t, err)
	defer s.Close()
	const now = 1000
	id := 0
	write := func(most int64, bytes int, expires int64) error {
		id++
		part := strings.Repeat("é", bytes/10) // every piece counts, and by bytes
		r := archive.Response{ID: fmt.Sprint(id), Expires: expires, Head: part, Output: part, Tail: part,
			Parameters: part, Most: most}
		r.Input = strings.Repeat("x", bytes-len(part)*4)
		_, err := s.Batch("o", unpack(r.Write(now).Packed()))
		return err
	}
	number := func(sql string) int {
		rows := archived(t, s, new(bridge.Statements).SQL(sql))
		require.True(t, rows.Next())
		return int(rows.Value().Number)
	}
	count := func(responses, bytes int) {
		t.Helper()
		require.Equal(t, responses, number("SELECT count(*) FROM responses"))
		require.Equal(t, responses*1024+bytes, number("SELECT bytes FROM responses_total"))
		require.Equal(t, bytes, number("SELECT coalesce(sum(length(data)), 0) FROM response_parts"))
	}
	full := func(err error) {
		t.Helper()
		require.Error(t, err)
		require.True(t, archive.Full(err), err)
	}

	// The tables of a version that did not count, with a response.
	_, err = s.Batch("o", []store.Statement{
		{SQL: "CREATE TABLE responses (id TEXT PRIMARY KEY, parent TEXT, expires INTEGER NOT NULL, hidden " +
			"INTEGER NOT NULL, size INTEGER NOT NULL)"},
		{SQL: "CREATE TABLE response_parts (id TEXT NOT NULL, kind INTEGER NOT NULL, part INTEGER NOT " +
			"NULL, data BLOB NOT NULL, PRIMARY KEY (id, kind, part))"},
		{SQL: "INSERT INTO responses VALUES ('old', NULL, 5000, 0, 300)"},
		{SQL: "INSERT INTO response_parts VALUES ('old', 0, 0, zeroblob(300)), ('old', 1, 0, zeroblob(17))"},
	})
	require.NoError(t, err)
	full(write(2*1024+317+999, 1000, 5000))
	require.NoError(t, write(2*1024+317+1000, 1000, 5000))
	count(2, 1317)
	require.True(t, archive.Existed(archived(t, s, archive.Delete("old", now))))
	require.False(t, archive.Existed(archived(t, s, archive.Delete("old", now))))
	count(1, 1000)
	require.NoError(t, write(3_000_000, 3_000_000-1000-2*1024, now)) // of several pieces
	count(2, 3_000_000-2*1024)
	full(write(3_000_000, 3_000_000, 5000))
	count(2, 3_000_000-2*1024)

	// Expired responses make room: 64 are always deleted, and more only while there is no room.
	for range 300 {
		require.NoError(t, write(1<<30, 100, now+1))
	}
	count(301, 1000+300*100)
	archived(t, s, new(bridge.Statements).SQL("UPDATE responses SET expires = 1 WHERE expires = 1001"))
	require.NoError(t, write(237*1124+2024+1124, 100, 5000))
	count(301-64+1, 1000+237*100)
	full(write(2*1024+1100+9_999, 10_000, 5000))
	count(301-64+1, 1000+237*100)
	require.NoError(t, write(2024+(237-64-36)*1124+11_024, 10_000, 5000))
	// 36 would do: only input and output, of 40 bytes, are looked at
	count(238-64-39+1, 1000+(237-64-39)*100+10_000)
	require.NoError(t, write(2024+1124+11_024+2024, 1_000, 5000))
	count(4, 1000+100+10_000+1_000)

	// The tables of a deleted endpoint are dropped.
	archived(t, s, archive.Drop(new(bridge.Statements)))
	require.NoError(t, write(1124, 100, 5000))
	count(1, 100)
	full(write(1124, 1, 5000))
}
