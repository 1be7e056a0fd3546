package admin

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ofContext puts the context into the sealed text, and opens no text of another context.
var ofContext = Sealer{
	Seal: func(context, plain string) (string, error) {
		return "v1.keyid000.nonce00000000000.the-ciphertext-and-its-tag-" + strings.ReplaceAll(context, ".",
			"_") + "=" + plain, nil
	},
	Open: func(context, sealed string) (string, bool, bool, error) {
		rest, ok := strings.CutPrefix(sealed, "v1.keyid000.nonce00000000000.the-ciphertext-and-its-tag-"+
			strings.ReplaceAll(context, ".", "_")+"=")
		return rest, ok, false, nil
	},
}

const (
	account = "0123456789abcdef0123456789abcdef"
	direct  = `{"name":"a","protocol":"chat","url":"https://api.openai.com/v1"`
	through = direct + `,"gateway":{"account":"` + account + `","id":"g"`
)

func finished(t *testing.T, r *Record) *Record {
	record, err := r.Finish(now, false, ofContext)
	require.Nil(t, err)
	r, err = Load(r.Name, record)
	require.Nil(t, err)
	return r
}

func created(t *testing.T, upstream string) *Record {
	r, _, _, err := Create(`{"name":"anna","upstreams":[` + upstream + `]}`)
	require.Nil(t, err)
	return finished(t, r)
}

func TestGatewayToken(t *testing.T) {
	r := created(t, through+`,"token":"aig-plain","cache_ttl":60},"key":"sk-plain"}`)
	view := string(r.AppendView(nil, ""))
	require.Contains(t, view, `"gateway":{"account":"`+account+`","id":"g","cache_ttl":60}`)
	require.Contains(t, view, `"sealed_keys":["a"],"sealed_tokens":["a"],"keys":[]`)
	require.NotContains(t, view, "plain")
	require.NotContains(t, string(r.AppendOwn(nil, hash, "")), account,
		"whose account it is, is the operator's")
	u := &r.Endpoint().Upstreams[0]
	for context, sealed := range map[string]string{u.SealContext(): u.Key,
		u.TokenContext(): u.Gateway.Token} {
		_, ok, _, _ := ofContext.Open(context, sealed)
		require.True(t, ok, context)
	}

	for name, c := range map[string]struct{ upstream, path string }{
		"as the view has it": {through + `,"cache_ttl":60}}`, ""},
		"another setting":    {through + `,"skip_cache":true}}`, ""},
		"another path":       {strings.Replace(through, "com/v1", "com/v1/x", 1) + `}}`, ""},
		"no gateway":         {direct + `}`, "upstreams[0].key"},
		"another gateway": {strings.Replace(through, `"g"`, `"h"`, 1) + `}}`,
			"upstreams[0].key"},
		"another account": {strings.Replace(through, account, "f"+account[1:], 1) + `}}`,
			"upstreams[0].key"},
		"only a new key": {strings.Replace(through, `"g"`, `"h"`, 1) + `},"key":"sk-new"}`,
			"upstreams[0].gateway.token"},
		"both": {strings.Replace(through, `"g"`, `"h"`,
			1) + `,"token":"new"},"key":"sk-new"}`, ""},
		"neither": {strings.Replace(through, `"g"`, `"h"`,
			1) + `,"token":null},"key":null}`, ""},
		"a token that breaks a header": {through + `,"token":"a\r\nb"}}`, "upstreams[0].gateway.token"},
		"a token that is none":         {through + `,"token":7}}`, "upstreams[0].gateway.token"},
		"a token twice": {through + `,"token":"a","token":"b"}}`,
			"upstreams[0].gateway.token"},
	} {
		r := created(t, through+`,"token":"aig-plain","cache_ttl":60},"key":"sk-plain"}`)
		err := r.Patch(`{"upstreams":[` + c.upstream + `]}`)
		if c.path != "" {
			require.NotNil(t, err, name)
			require.Equal(t, c.path, err.Path, name)
			continue
		}
		require.Nil(t, err, name)
		r = finished(t, r)
		u := &r.Endpoint().Upstreams[0]
		if name == "neither" {
			require.Empty(t, u.Key+u.Gateway.Token)
			continue
		}
		for context, sealed := range map[string]string{u.SealContext(): u.Key,
			u.TokenContext(): u.Gateway.Token} {
			_, ok, _, _ := ofContext.Open(context, sealed)
			require.True(t, ok, name+" "+context)
		}
	}
}

func TestPool(t *testing.T) {
	r := created(t, direct+`,"keys":["sk-plain-1","sk-plain-2"]}`)
	view := string(r.AppendView(nil, ""))
	require.Contains(t, view, `"sealed_keys":["a"],"pools":{"a":2},"keys":[]`)
	require.NotContains(t, view, "plain")
	require.Len(t, r.Endpoint().Upstreams[0].Keys, 2)

	require.Nil(t, r.Patch(`{"upstreams":[`+direct+`,"timeout":5}]}`))
	r = finished(t, r)
	require.Len(t, r.Endpoint().Upstreams[0].Keys, 2, "they stay")
	require.Nil(t, r.Patch(`{"upstreams":[`+direct+`,"key":"sk-plain"}]}`))
	r = finished(t, r)
	require.Empty(t, r.Endpoint().Upstreams[0].Keys)
	require.NotEmpty(t, r.Endpoint().Upstreams[0].Key)
	require.Nil(t, r.Patch(`{"upstreams":[`+direct+`,"keys":["sk-plain-3"]}]}`))
	r = finished(t, r)
	require.Len(t, r.Endpoint().Upstreams[0].Keys, 1)
	require.Empty(t, r.Endpoint().Upstreams[0].Key)
	err := r.Patch(`{"upstreams":[` + strings.Replace(direct, "api.openai", "evil", 1) + `}]}`)
	require.Equal(t, "upstreams[0].keys", err.Path)
	require.Nil(t, r.Patch(`{"upstreams":[`+direct+`,"keys":null}]}`))
	require.NotContains(t, string(finished(t, r).AppendView(nil, "")), "pools")

	for _, c := range []struct{ more, path string }{
		{`"keys":[]`, "keys"}, {`"keys":"sk"`, "keys"}, {`"keys":{"a":"b"}`, "keys"}, {`"keys":["a",null]`,
			"keys[1]"}, {`"keys":["a",""]`, "keys[1]"},
		{`"keys":["a","b","a"]`, "keys[2]"}, {`"keys":["a\n"]`, "keys[0]"}, {`"keys":["a"],"key":"b"`,
			"keys"}, {`"keys":["a"],"key":null`, "keys"},
		{`"keys":[` + strings.TrimSuffix(strings.Repeat(`"k",`, 17), ",") + `]`, "keys"},
	} {
		_, _, _, err := Create(`{"name":"anna","upstreams":[` + direct + `,` + c.more + `}]}`)
		require.NotNil(t, err, c.more)
		require.Equal(t, "upstreams[0]."+c.path, err.Path, c.more)
	}
}

// TestSecretsAreSealedAnew: the next change seals secrets of the previous master key with the new
// master key, including a pool and a token.
func TestSecretsAreSealedAnew(t *testing.T) {
	r := created(t, strings.Replace(through, `"gateway"`, `"keys":["sk-plain-1","sk-plain-2"],"gateway"`,
		1)+`,"token":"aig-plain"}}`)
	opened, stale := 0, ofContext
	stale.Open = func(context, sealed string) (string, bool, bool, error) {
		opened++
		plain, ok, _, err := ofContext.Open(context, sealed)
		return plain, ok, true, err
	}
	stale.Seal = func(context, plain string) (string, error) {
		sealed, err := ofContext.Seal(context, plain)
		return strings.Replace(sealed, "keyid000", "keyid001", 1), err
	}
	record, err := r.Finish(now, false, stale)
	require.Nil(t, err)
	require.Equal(t, 3, opened)
	require.Equal(t, 3, strings.Count(record, "v1.keyid001."))
	require.NotContains(t, record, "v1.keyid000.")
}
