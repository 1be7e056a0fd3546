package host

import (
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/host/outbound"
	"edgelingua/wasmtest/seal"
	"edgelingua/wasmtest/store"
	"edgelingua/wasmtest/testdns"
	"edgelingua/worker/alert"
)

// TestAlertSQL: both hosts send alerts by the same SQL.
func TestAlertSQL(t *testing.T) {
	source, err := os.ReadFile("../../worker/workerd/alert.mjs")
	require.NoError(t, err)
	joined := regexp.MustCompile("[\"`] ?\\+\\s*[\"`]").ReplaceAllString(string(source), "")
	for _, sql := range []string{claimAlerts, sentAlert, nextAlert} {
		require.Contains(t, joined, sql)
	}
}

// logged is a log whose lines a test waits for.
type logged chan string

func (l logged) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// TestPrivateWebhook: a webhook's name that resolves to an address in a private network gets nothing,
// whatever the settings allow for upstreams. Nor does a webhook that can't be opened.
func TestPrivateWebhook(t *testing.T) {
	s, err := store.Open("", time.Now)
	require.NoError(t, err)
	lines := make(logged, 9)
	env := map[string]string{"SEAL_KEY": strings.Repeat("A", 43), "ALLOW_HTTP_UPSTREAM": "true"}
	h := newHost(Config{Env: env, Store: s, Log: log.New(lines, "", 0)})
	defer func() {
		h.alerts.stop()
		require.NoError(t, s.Close())
	}()
	dialer := outbound.Public()
	dialer.Resolver = testdns.Loopback()
	h.public = outbound.Transport(dialer)
	for sealedFor, want := range map[string]string{"c": "not on the public internet", "other": "does not " +
		"open"} {
		sealed, err := seal.Seal(env, []byte(sealedFor), []byte("https://hooks.rebinding.example/x\nsecret"))
		require.NoError(t, err)
		source := alert.Source{Endpoint: "anna", Hooks: []alert.Hook{{Name: "endpoint", Format: "json",
			Sealed: sealed, Context: "c"}}}
		_, err = s.Batch("endpoint:anna", unpack(source.Test(1).Packed()))
		require.NoError(t, err)
		require.Regexp(t, fmt.Sprintf("an alert of endpoint:anna was not sent: .*%s", want), <-lines)
	}
}
