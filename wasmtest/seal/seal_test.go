package seal

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A master key in its spellings, and a text sealed with that key by another implementation, in
// e2e/endpoints/seal.test.mjs.
const (
	urlKey      = "-_4BBAcKDRATFhkcHyIlKCsuMTQ3Oj1AQ0ZJTE9SVVg"
	standardKey = "+/4BBAcKDRATFhkcHyIlKCsuMTQ3Oj1AQ0ZJTE9SVVg="
	otherKey    = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"
	known       = "v1.4-hivQZL.ABEiM0RVZneImaq7.I-eakm5kFYGpswxc84LmU51_AcKhmFbKUvBwD-EjbDB5Dg_k4WLH"
	knownSecret = "sk-proj-0123456789_-abc"
)

var (
	env     = map[string]string{"SEAL_KEY": urlKey}
	context = []byte("alice/openai")
)

func TestDigest(t *testing.T) {
	assert.Equal(t, "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", Digest(nil))
	// the example of FIPS 180-4
	assert.Equal(t, "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0", Digest([]byte("abc")))
}

func TestKnownAnswer(t *testing.T) {
	for _, spelling := range []string{urlKey, standardKey} {
		k, err := keyOf(map[string]string{"SEAL_KEY": spelling}, current)
		require.NoError(t, err)
		nonce := []byte{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb}
		assert.Equal(t, known, k.seal(context, []byte(knownSecret), nonce))
	}
	secret, stale, err := Open(env, context, known)
	require.NoError(t, err)
	assert.Equal(t, knownSecret, string(secret))
	assert.False(t, stale)
}

func TestSealed(t *testing.T) {
	nonces := map[string]bool{}
	for _, secret := range []string{"", "a", "ключ \x00\xff", strings.Repeat("s", maxSecret)} {
		sealed, err := Seal(env, context, []byte(secret))
		require.NoError(t, err)
		nonces[strings.Split(sealed, ".")[2]] = true
		opened, _, err := Open(env, context, sealed)
		require.NoError(t, err)
		assert.Equal(t, secret, string(opened))
		_, _, err = Open(env, []byte("bob/openai"), sealed)
		assert.ErrorIs(t, err, ErrUnopened)
	}
	assert.Len(t, nonces, 4)
	_, err := Seal(env, context, make([]byte, maxSecret+1))
	assert.ErrorContains(t, err, "up to 65536 bytes")
}

// TestChanged changes each character of a sealed text of 4 KB to every other letter of the
// alphabet: no such text opens.
func TestChanged(t *testing.T) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
	sealed, err := Seal(env, context, make([]byte, 4<<10))
	require.NoError(t, err)
	for i := range sealed {
		others := alphabet
		if 29 < i && i < len(sealed)-1 { // in the middle of the text all changes are alike
			others = alphabet[i%64:][:1]
		}
		for _, c := range []byte(others) {
			if sealed[i] == c {
				continue
			}
			_, _, err := Open(env, context, sealed[:i]+string(c)+sealed[i+1:])
			require.ErrorIs(t, err, ErrUnopened, "%c at %d", c, i)
		}
	}
}

func TestRotation(t *testing.T) {
	rotated := map[string]string{"SEAL_KEY": otherKey, "SEAL_KEY_PREVIOUS": standardKey}
	secret, stale, err := Open(rotated, context, known)
	require.NoError(t, err)
	assert.Equal(t, knownSecret, string(secret))
	assert.True(t, stale)
	anew, err := Seal(rotated, context, secret)
	require.NoError(t, err)
	_, stale, err = Open(rotated, context, anew)
	require.NoError(t, err)
	assert.False(t, stale)
	_, _, err = Open(env, context, anew)
	assert.EqualError(t, err, "a sealed text does not open: its key "+anew[3:11]+
		" is neither SEAL_KEY nor SEAL_KEY_PREVIOUS")
}

func TestMasterKey(t *testing.T) {
	for _, text := range []string{"choose-a-long-random-key", urlKey[1:], urlKey + "A", urlKey + "=",
		standardKey[:43], urlKey[:42] + "9", urlKey + "\n", " " + urlKey} {
		_, err := Seal(map[string]string{"SEAL_KEY": text}, context, nil)
		assert.EqualError(t, err,
			"The secret SEAL_KEY is not 32 bytes in base64. This makes one: openssl rand -base64 32", text)
	}
	_, err := Seal(nil, context, nil)
	assert.EqualError(t, err, "The secret SEAL_KEY is missing. This makes one: openssl rand -base64 32")
	_, _, err = Open(map[string]string{"SEAL_KEY": otherKey, "SEAL_KEY_PREVIOUS": "x"}, context, known)
	assert.EqualError(t, err,
		"The secret SEAL_KEY_PREVIOUS is not 32 bytes in base64. This makes one: openssl rand -base64 32")
}

// FuzzOpen: a text opens only if it was sealed, and only in the same context.
func FuzzOpen(f *testing.F) {
	f.Add(string(context), known)
	f.Add("", known)
	f.Add(string(context), known+"\n")
	f.Add(string(context), "v1.4-hivQZL.AAAAAAAAAAAAAAAA.A")
	f.Add(string(context), "v1.4-hivQZL.AAAAAAAAAAAAAAAA."+base64.RawURLEncoding.EncodeToString(make([]byte,
		16)))
	f.Add(string(context), "v1...")
	f.Add(string(context), strings.Repeat("é", maxSealed))
	f.Fuzz(func(t *testing.T, where, sealed string) {
		secret, _, err := Open(env, []byte(where), sealed)
		if where == string(context) && sealed == known {
			require.NoError(t, err)
			require.Equal(t, knownSecret, string(secret))
			return
		}
		require.ErrorIs(t, err, ErrUnopened)
		require.Nil(t, secret)
	})
}
