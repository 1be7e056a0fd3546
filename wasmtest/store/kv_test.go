package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKV(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		_, _, found, err := s.Get("k")
		require.NoError(t, err)
		assert.False(t, found)
		for _, value := range []string{"text", "", "\x00\xff\xfe bytes"} {
			require.NoError(t, s.Put("ключ \U0001f600", []byte(value), []byte(`{"n":[1]}`), 0))
			got, metadata, found, err := s.Get("ключ \U0001f600")
			require.NoError(t, err)
			assert.True(t, found)
			assert.Equal(t, value, string(got))
			assert.JSONEq(t, `{"n":[1]}`, string(metadata))
		}
		require.NoError(t, s.Put("ключ \U0001f600", []byte("new"), nil, 0))
		_, metadata, _, err := s.Get("ключ \U0001f600")
		require.NoError(t, err)
		assert.Nil(t, metadata, "metadata does not outlive its value")
		require.NoError(t, s.Delete("ключ \U0001f600"))
		require.NoError(t, s.Delete("ключ \U0001f600"))
		_, _, found, err = s.Get("ключ \U0001f600")
		require.NoError(t, err)
		assert.False(t, found)
	})
}

func TestKVLimits(t *testing.T) {
	s := open(t, "")
	long := strings.Repeat("é", 256)
	require.NoError(t, s.Put(long, make([]byte, 25<<20), []byte(`"`+strings.Repeat("m", 1022)+`"`), 1060))
	value, _, _, err := s.Get(long)
	require.NoError(t, err)
	assert.Len(t, value, 25<<20)
	for want, err := range map[string]error{
		"Key name cannot be empty.":                                        s.Put("", nil, nil, 0),
		`".." is not allowed as a key name.`:                               s.Delete(".."),
		"414 UTF-8 encoded length of 513 exceeds key length limit of 512.": s.Put(long+"a", nil, nil, 0),
		"413 Value length of 26214401 exceeds limit of 26214400.": s.Put("k", make([]byte,
			25<<20+1), nil, 0),
		"413 Metadata length of 1025 exceeds limit of 1024.": s.Put("k", nil,
			[]byte(`"`+strings.Repeat("m", 1023)+`"`), 0),
		"the metadata is not JSON":                                    s.Put("k", nil, []byte(`{`), 0),
		"Expiration times must be at least 60 seconds in the future.": s.Put("k", nil, nil, 1059),
		"Invalid cursor.":                                             second(s.List("", "!", 1)),
		"Invalid key_count_limit of 1001. Please specify an integer from 1 to 100": second(s.List("", "",
			1001)),
		"Invalid key_count_limit of 0.": second(s.List("", "", 0)),
	} {
		assert.ErrorContains(t, err, want)
	}
}

func second[T any](_ T, err error) error { return err }

func TestKVExpiry(t *testing.T) {
	c := &clock{1000}
	s, err := Open("", c.now)
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Put("short", []byte("v"), nil, 1060))
	require.NoError(t, s.Put("long", []byte("v"), nil, 2000))
	c.seconds = 1059
	page, err := s.List("", "", 10)
	require.NoError(t, err)
	assert.Equal(t, []Key{{Name: "long", Expiration: 2000}, {Name: "short", Expiration: 1060}}, page.Keys)
	c.seconds = 1060
	_, _, found, err := s.Get("short")
	require.NoError(t, err)
	assert.False(t, found)
	page, err = s.List("", "", 10)
	require.NoError(t, err)
	assert.Equal(t, []Key{{Name: "long", Expiration: 2000}}, page.Keys)
	require.NoError(t, s.Put("other", nil, nil, 0))
	left := 0
	require.NoError(t, s.query("SELECT 1 FROM kv", nil, func(*sqlite3.Stmt) { left++ }))
	assert.Equal(t, 2, left, "what has expired is deleted")
}

func TestKVList(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		var want []string
		for i := range 25 {
			want = append(want, fmt.Sprintf("p:%d", i))
		}
		want = append(want, "p:\U0001f600", "p:\uffff", "p:Z", "p:a", "p:é")
		for _, name := range want {
			require.NoError(t, s.Put(name, []byte("v"), []byte(`"of `+name+`"`), 0))
		}
		for _, name := range []string{"o", "p", "q", "p;"} {
			require.NoError(t, s.Put(name, []byte("v"), nil, 0))
		}
		slices.Sort(want)
		var got []string
		for cursor := ""; ; {
			page, err := s.List("p:", cursor, 7)
			require.NoError(t, err)
			for _, key := range page.Keys {
				got = append(got, key.Name)
				assert.Equal(t, `"of `+key.Name+`"`, string(key.Metadata))
			}
			if cursor = page.Cursor; cursor == "" {
				break
			}
			require.Len(t, page.Keys, 7)
		}
		assert.Equal(t, want, got, "in the order of the bytes")
		whole, err := s.List("p:", "", len(want))
		require.NoError(t, err)
		assert.Empty(t, whole.Cursor)
		none, err := s.List("nothing", "", 1)
		require.NoError(t, err)
		text, err := json.Marshal(none)
		require.NoError(t, err)
		assert.Equal(t, `{"keys":[],"cursor":""}`, string(text))
	})
}
