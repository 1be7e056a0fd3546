package responses

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

func TestReadFrame(t *testing.T) {
	for frame, want := range map[string]string{
		`{"type":"response.create"}`: `{"stream":true}`,
		` { "type" : "response.create" , "model":"m","input":[{"type":"message"}]}`: ` { "stream":true , ` +
			`"model":"m","input":[{"type":"message"}]}`,
		`{"model":"m","stream":false,"type":"response.create",` +
			`"generate":true}`: `{"model":"m","stream":true}`,
		`{"stream":{"x":1},"stream_id":null,"type":"response.create",` +
			`"b":[1, 2]}`: `{"stream":true,"b":[1, 2]}`,
		`{"type":"response.create","ty\u0070e":"response.create","x":1}`: `{"stream":true,"x":1}`,
		`{"type":"response.create","stream_id":"Main.1_a-b","x":1}`:      `{"stream":true,"x":1}`,
	} {
		f, err := ReadFrame([]byte(frame))
		require.Nil(t, err, frame)
		require.Equal(t, want, string(f.Body))
		require.False(t, f.Prepares)
	}
	f, err := ReadFrame([]byte(`{"generate":false,"type":"response.create","input":[]}`))
	require.Nil(t, err)
	require.True(t, f.Prepares)
	require.Equal(t, `{"stream":true,"input":[]}`, string(f.Body))
	for frame, path := range map[string]string{
		`{}`: "type", `{"type":"response.cancel"}`: "type", `{"type":null}`: "type", `{"type":7}`: "type",
		`[]`: "", `"x"`: "",
		`{"type":"response.create","generate":"no"}`: "generate",
		`{"type":"response.create","stream_id":""}`:  "stream_id",
		`{"type":"response.steer"}`:                  "type",
	} {
		_, err := ReadFrame([]byte(frame))
		require.NotNil(t, err, frame)
		require.Equal(t, path, ir.AsError(err).Path)
		require.Equal(t, 400, ir.AsError(err).HTTPStatus())
	}
}

// FuzzReadFrame reads any JSON: the resulting body has exactly one "stream".
func FuzzReadFrame(f *testing.F) {
	f.Add(`{"stream":1,"type":"response.create" , "generate":false ,"x":{"type":2}}`)
	f.Fuzz(func(t *testing.T, frame string) {
		if jsonr.Check(frame) != nil {
			return
		}
		read, err := ReadFrame([]byte(frame))
		if err != nil {
			return
		}
		require.NoError(t, jsonr.Check(string(read.Body)))
		n := 0
		r := jsonr.NewReader(string(read.Body))
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "stream":
				n++
				require.Equal(t, "true", string(r.Value()))
			case "type", "generate", "stream_id":
				t.Fatal(r.Key())
			}
		}
		require.Equal(t, 1, n)
	})
}
