package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/wasmtest/host"
)

// refusals are the answers to clients of each path while the gate is full, and once the gate is
// shut.
var refusals = []struct {
	path, header         string
	status               int // while the gate is full
	full, shut, dialects string
}{
	{"/v1/messages", "", 529, `"type":"overloaded_error"`, `"type":"api_error"`,
		`{"type":"error","error":{"type":`},
	{"/v1/messages/count_tokens", "", 529, `"type":"overloaded_error"`, `"type":"api_error"`,
		`{"type":"error","error":{"type":`},
	{"/v1/models", "x-api-key", 529, `"type":"overloaded_error"`, `"type":"api_error"`,
		`{"type":"error","error":{"type":`},
	{"/v1/models", "anthropic-version", 529, `"type":"overloaded_error"`, `"type":"api_error"`,
		`{"type":"error","error":{"type":`},
	{"/v1/models", "authorization", 503, `"code":"server_is_overloaded"`, `"code":null`,
		`{"error":{"message":`},
	{"/v1/chat/completions", "x-api-key", 503, `"code":"server_is_overloaded"`, `"code":null`,
		`{"error":{"message":`},
	{"/u/anna/v1/messages", "", 529, `"type":"overloaded_error"`, `"type":"api_error"`,
		`{"type":"error","error":{"type":`},
	{"/k/el_anna_x/v1/messages", "", 529, `"type":"overloaded_error"`, `"type":"api_error"`,
		`{"type":"error","error":{"type":`},
	{"/u/anna/v1/responses", "x-api-key", 503, `"code":"server_is_overloaded"`, `"code":null`,
		`{"error":{"message":`},
	{"/v1/responses", "x-api-key", 503, `"code":"server_is_overloaded"`, `"code":null`,
		`{"error":{"message":`},
}

func TestGate(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	g := newGate(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-leave
	}), 2)
	s := httptest.NewServer(host.Patient(g))
	defer s.Close()
	send := func(path, header string) (*http.Response, string) {
		r, err := http.NewRequest("POST", s.URL+path, strings.NewReader(strings.Repeat("x", 8<<20)))
		require.NoError(t, err)
		if header != "" {
			r.Header.Set(header, "x")
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response, string(body)
	}
	admitted := make(chan int)
	enter := func(path string) {
		go func() {
			response, _ := send(path, "")
			admitted <- response.StatusCode
		}()
		<-entered
	}
	enter("/v1/messages")
	enter("/v1/messages")
	enter("/u/ben/v1/messages") // the place beyond the limit, for another endpoint
	for _, test := range refusals {
		response, body := send(test.path, test.header)
		assert.Equal(t, test.status, response.StatusCode, test.path)
		assert.Equal(t, "5", response.Header.Get("Retry-After"))
		assert.Equal(t, "application/json", response.Header.Get("Content-Type"))
		assert.False(t, response.Close)
		assert.True(t, strings.HasPrefix(body, test.dialects), body)
		assert.Contains(t, body, test.full)
	}
	for range 2 {
		leave <- struct{}{}
		assert.Equal(t, 200, <-admitted)
	}
	enter("/u/ben/v1/messages")
	empty := g.shut()
	for _, test := range refusals {
		response, body := send(test.path, test.header)
		assert.Equal(t, 503, response.StatusCode, test.path)
		assert.Equal(t, "5", response.Header.Get("Retry-After"))
		assert.True(t, response.Close)
		assert.True(t, strings.HasPrefix(body, test.dialects), body)
		assert.Contains(t, body, test.shut)
		assert.NotContains(t, body, "overloaded")
	}
	leave <- struct{}{}
	<-admitted
	select {
	case <-empty:
		t.Error("the gate is empty while one is inside")
	default:
	}
	leave <- struct{}{}
	<-admitted
	<-empty
	<-newGate(g, 1).shut()
	assert.Empty(t, g.open)
}

// TestShares fills gates of every size and checks which endpoints get slots.
func TestShares(t *testing.T) {
	// take lets an endpoint with own slots take as many as possible, up to wanted. It returns how
	// many slots the endpoint has then.
	take := func(limit int, inside *int, own, wanted int) int {
		for own < wanted && refusalAt(limit, *inside, own) == nil {
			own++
			*inside++
		}
		return own
	}
	for limit := 1; limit <= 1024; limit++ {
		inside := 0
		require.Equal(t, limit, take(limit, &inside, 0, 5000),
			"one endpoint alone has what --max-concurrent says")
		require.Equal(t, full, refusalAt(limit, inside, limit))
		require.GreaterOrEqual(t, take(limit, &inside, 0, 5000), 1, "and another one still gets in")
		require.LessOrEqual(t, inside, placesOf(limit))

		// Several endpoints that want every slot end up with equal numbers, in any order: requests
		// of the largest one end, and all endpoints ask again, the largest first.
		for endpoints := 2; endpoints <= min(8, limit/share); endpoints++ {
			own, inside := make([]int, endpoints), 0
			own[0] = take(limit, &inside, 0, 5000)
			for range limit {
				own[0]--
				inside--
				for i := range own {
					own[i] = take(limit, &inside, own[i], 5000)
				}
				slices.SortFunc(own, func(a, b int) int { return b - a })
			}
			require.LessOrEqual(t, own[0]-own[endpoints-1], share, "limit %d: %v", limit, own)
			require.GreaterOrEqual(t, inside, limit, "limit %d: %v", limit, own)
		}
	}
	for _, test := range []struct {
		limit, inside, own int
		want               *ir.Error
	}{
		{1, 0, 0, nil}, {1, 1, 1, full}, {1, 1, 0, nil}, {1, 2, 0, full},
		{2, 1, 1, nil}, {2, 2, 2, full}, {2, 2, 0, nil}, {2, 2, 1, nil}, {2, 3, 0, full},
		{16, 15, 15, nil}, {16, 16, 16, full}, {16, 16, 0, nil}, {16, 19, 15, shared}, {16, 19, 4, shared},
		{16, 19, 3, nil}, {16, 18, 7, nil}, {16, 18, 8, shared},
		{16, 20, 0, full}, {1024, 1279, 4, shared}, {1024, 1279, 0, nil}, {1024, 1279, 3, nil},
	} {
		assert.Equal(t, test.want, refusalAt(test.limit, test.inside, test.own), "%+v", test)
	}
}

func TestWhosePlace(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/messages": "", "/": "", "": "", "/admin": "", "/admin/api/endpoints": "/admin",
		"/u/anna/v1/models": "anna", "/u/anna": "anna",
		"/u/anna/api/rotate": "anna", "/k/el_anna_" + strings.Repeat("x", 43) + "/v1/messages": "anna",
		"/k/el_anna_x/v1/messages": "",
	} {
		assert.Equal(t, want, whose(path), path)
	}
}

func TestDescriptors(t *testing.T) {
	for _, test := range []struct {
		limit, files int
		demo         bool
		want         capacity
	}{
		{1024, manyFiles, false, capacity{waiting: 1280, sockets: 1280, idle: 256}},
		{16, manyFiles, true, capacity{waiting: 256, sockets: 256, idle: 256, demo: 532}},
		{7, 128, false, capacity{waiting: 15, sockets: 15, idle: 7}},
		{7, 128, true, capacity{waiting: 12, sockets: 12, idle: 3, demo: 15}},
	} {
		got, err := capacityOf(test.limit, test.files, test.demo)
		require.NoError(t, err)
		assert.Equal(t, test.want, got, "%+v", test)
	}
	_, err := capacityOf(100, 128, false)
	assert.EqualError(t, err,
		"--max-concurrent 100 needs 556 open files, and this process may have 128; raise `ulimit -n`, or "+
			"set a lower --max-concurrent")
	assert.Equal(t, 7, concurrentWith(128))
	for files := 66; files < 5000; files++ {
		for _, demo := range []bool{false, true} {
			limit := concurrentWith(files)
			c, err := capacityOf(limit, files, demo)
			require.NoError(t, err, "%d files", files)
			used := filesBeside + placesOf(limit)*filesPerRequest + c.waiting*filesPerWaiting + c.sockets +
				2*c.idle + c.demo
			require.LessOrEqual(t, used, files)
		}
	}
	assert.Positive(t, openFiles())
}

func TestCapacity(t *testing.T) {
	assert.Equal(t, 16, concurrentIn(0))
	assert.Equal(t, 32, concurrentIn(512<<20))
	assert.Equal(t, 1024, concurrentIn(1<<40))
	assert.Equal(t, 64<<20, rememberedIn(512<<20))
	assert.Equal(t, 512<<20, rememberedIn(1<<40))
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for _, test := range []struct {
		meminfo, limit string
		want           int
	}{
		{"MemTotal:        2048 kB\nMemFree: 1 kB\n", "max\n", 2 << 20},
		{"MemTotal:        2048 kB\n", "1048576\n", 1 << 20},
		{"MemTotal:        2048 kB\n", "4194304\n", 2 << 20},
		{"", "", 4 << 30},
		{"MemTotal: many", "1000", 1000},
	} {
		assert.Equal(t, test.want, memory(file(test.meminfo), file(test.limit)))
	}
	assert.Equal(t, 4<<30, memory("no file", "no file"))
	assert.Positive(t, defaultConcurrent())
}
