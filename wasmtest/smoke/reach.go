package smoke

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"edgelingua/wasmtest/conform"
)

// Greet checks that an edgelingua answers at the target. The error is for the user and says what to
// do.
func Greet(ctx context.Context, target Target) error {
	c := &client{ctx: ctx, target: target, patience: target.patience() / 2}
	a, err := c.try(http.MethodGet, "/", nil, "")
	if err != nil {
		return unreachable(err, c, "--url, and that the worker is deployed")
	}
	var hello struct{ Message string }
	if json.Unmarshal([]byte(a.body), &hello); !strings.Contains(hello.Message, "edgelingua") {
		return fmt.Errorf("%s is no edgelingua (GET / answered %d, %s); --url is the address that "+
			"`edgelingua deploy` printed", target.URL, a.status, kindOf(a))
	}
	return nil
}

// unreachable returns an error with the reason why a server has not answered. look says what the
// user should check.
func unreachable(err error, c *client, look string) error {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	at := c.target.URL
	switch {
	case errors.As(err, &certificate):
		return fmt.Errorf("the certificate of %s is not good (%w); check its name, and this machine's "+
			"clock and certificates", at, certificate.Err)
	case errors.As(err, &record):
		return fmt.Errorf("%s does not speak TLS; try http://", at)
	case errors.Is(err, errTooLong):
		return fmt.Errorf("%s sent %w; check %s", at, err, look)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s did not answer within %s; check %s", at, c.patience, look)
	}
	return fmt.Errorf("can't reach %s (%w); check %s", at, err, look)
}

// Reach is Greet, and also checks that the target accepts the key. It costs no tokens.
func Reach(ctx context.Context, target Target) error {
	if err := Greet(ctx, target); err != nil {
		return err
	}
	c := &client{ctx: ctx, target: target, patience: target.patience() / 2}
	a, err := c.try(http.MethodPost, "/v1/messages", keyHeader(target.Key), "{}")
	if err != nil {
		return fmt.Errorf("can't ask %s (%w); try again", target.URL, err)
	}
	switch {
	case a.status == http.StatusUnauthorized:
		return fmt.Errorf("%s refuses the key; give the CLIENT_KEY of the worker as --key, or better in "+
			"EDGELINGUA_KEY", target.URL)
	case a.status >= http.StatusInternalServerError:
		return fmt.Errorf("%s can't work: %s", target.URL, conform.Show(messageOf(a, target)))
	}
	return nil
}

// kindOf describes an answer that is not a greeting.
func kindOf(a *received) string {
	if location := a.head.Get("location"); location != "" {
		return "a redirect to " + conform.Show(location)
	}
	if kind, _, _ := strings.Cut(a.head.Get("content-type"), ";"); kind != "" {
		return kind
	}
	return "nothing"
}

// messageOf returns the message of an error, without the key.
func messageOf(a *received, target Target) string {
	var body struct{ Error struct{ Message string } }
	if json.Unmarshal([]byte(a.body), &body); body.Error.Message == "" {
		return fmt.Sprintf("it answered %d", a.status)
	}
	return strings.ReplaceAll(body.Error.Message, target.Key, "KEY")
}
