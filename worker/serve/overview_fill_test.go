package serve_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/store"
	"edgelingua/worker/bridge"
	"edgelingua/worker/totals"
	"edgelingua/worker/usage"
)

// size is a deployment to generate.
type size struct {
	endpoints, days int
	perDay          int64 // requests of an endpoint on a day
}

// thousand has 1,000 endpoints with 100,000 requests.
var thousand = size{endpoints: 1000, days: 20, perDay: 5}

// fill generates endpoints with usage that has been sent: each has two models and two keys on each day.
func fill(t testing.TB, s *store.Store, now time.Time, n size) {
	for e := range n.endpoints {
		name := fmt.Sprintf("e%04d", e)
		record := fmt.Sprintf(`{"auth":"forward","created":1,"usage":true,"upstreams":[{"name":"up",`+
			`"protocol":"chat","url":"https://up.test/v1"}],"label":%d}`, e)
		require.NoError(t, s.Put("endpoint:"+name, []byte(record), []byte("{}"), 0))
		days := ""
		for d := range n.days {
			days += fmt.Sprintf(`,[%d,[["m%d","k1",%d,0,100,10,40,%d,0],["n","k2",1,1,0,0,0,0,1]]]`,
				now.Unix()/86400-int64(d), e%300, n.perDay-1, 1000*e)
		}
		text := fmt.Sprintf(`{"endpoint":%q,"id":"x","number":1,"settled":%d,"time":%d,"health":[],"days":[%s]}`,
			name, min(e%20, 1), now.Unix(), days[1:])
		_, err := s.Batch(totals.Object, unpacked(totals.MergeText(text)))
		require.NoError(t, err)
	}
}

// unpacked returns packed statements as a host does.
func unpacked(s *bridge.Statements) (statements []store.Statement) {
	for b := s.Packed(); len(b) > 0; {
		letter, v := b[0], any(nil)
		if b = b[1:]; letter == 'f' {
			v, b = math.Float64frombits(binary.LittleEndian.Uint64(b)), b[8:]
		} else if letter != 'n' {
			end := 4 + binary.LittleEndian.Uint32(b)
			v, b = string(b[4:end]), b[end:]
		}
		if letter == 'q' {
			statements = append(statements, store.Statement{SQL: v.(string)})
			continue
		}
		last := &statements[len(statements)-1]
		last.Args = append(last.Args, v)
	}
	return statements
}

// BenchmarkOverview measures the SQL of an overview of 1,000 endpoints over 30 days.
func BenchmarkOverview(b *testing.B) {
	s, err := store.Open("", time.Now)
	require.NoError(b, err)
	defer s.Close()
	fill(b, s, time.Now(), thousand)
	o := totals.Overview{Span: usage.Span{Days: 30}, Search: totals.Search{Done: true}}
	for b.Loop() {
		_, err := s.Batch(totals.Object, unpacked(totals.Pending(0)))
		require.NoError(b, err)
		_, err = s.Batch(totals.Object, unpacked(o.Read()))
		require.NoError(b, err)
	}
}
