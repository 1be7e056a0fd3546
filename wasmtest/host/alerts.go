package host

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"edgelingua/wasmtest/host/outbound"
	"edgelingua/wasmtest/seal"
	"edgelingua/wasmtest/store"
	"edgelingua/worker/web/page"
)

// The SQL by which a host sends alerts, the same as in worker/workerd/alert.mjs. claimAlerts returns the
// due alerts and schedules the next try of each, so a host that dies while it sends loses none, and two
// hosts with one store send none twice. After the fifth try there is no other. A webhook may defer the
// next try by the seconds ?6 in its Retry-After, up to an hour.
const (
	claimAlerts = "UPDATE alert SET tries = tries + 1, due = unixepoch() + CASE tries WHEN 0 THEN 30 " +
		"WHEN 1 THEN 120 WHEN 2 THEN 600 WHEN 3 THEN 3600 END WHERE (kind, subject, hook) IN (SELECT " +
		"kind, subject, hook FROM alert WHERE due <= unixepoch() ORDER BY due LIMIT 10) " +
		"RETURNING kind, subject, hook, period, format, sealed, context, body"
	sentAlert = "UPDATE alert SET status = ?5, body = CASE WHEN ?5 BETWEEN 200 AND 299 THEN '' ELSE body " +
		"END, due = CASE WHEN ?5 BETWEEN 200 AND 299 THEN NULL ELSE max(due, unixepoch() + min(?6, 3600)) " +
		"END WHERE kind = ?1 AND subject = ?2 AND hook = ?3 AND period = ?4"
	nextAlert = "SELECT min(due) AS alarm FROM alert"
)

// alertTimeout is how long a webhook may take to answer.
const alertTimeout = 10 * time.Second

// alarmPause is the time until the next try after the store has failed.
const alarmPause = time.Minute

// mostSending bounds the objects whose alerts are sent at the same time.
const mostSending = 16

// alarmed is a store whose objects have alarms.
type alarmed interface {
	Alarms() <-chan struct{}
	NextAlarm() (object string, at time.Time, err error)
}

// alerts sends the alerts of all objects to webhooks.
type alerts struct {
	host   *Host
	alarms alarmed
	cancel context.CancelFunc
	ended  chan struct{}
	slots  chan struct{} // has an element for each object whose alerts are being sent
}

// startAlerts sends alerts from now on, if the host's store has alarms. Else it returns nil.
func (h *Host) startAlerts() *alerts {
	alarms, ok := h.config.Store.(alarmed)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	a := &alerts{host: h, alarms: alarms, cancel: cancel, ended: make(chan struct{}),
		slots: make(chan struct{}, mostSending)}
	go a.run(ctx)
	return a
}

// stop aborts requests to webhooks, and waits for the end of all work.
func (a *alerts) stop() {
	if a != nil {
		a.cancel()
		<-a.ended
	}
}

func (a *alerts) run(ctx context.Context) {
	defer close(a.ended)
	var sending sync.WaitGroup
	defer sending.Wait()
	for ctx.Err() == nil {
		object, at, err := a.alarms.NextAlarm()
		wait := at.Sub(a.host.config.Now())
		if err == nil && object != "" && wait <= 0 {
			select {
			case <-ctx.Done():
				return
			case a.slots <- struct{}{}:
			}
			var due []store.Rows
			due, err = a.host.config.Store.Batch(object, []store.Statement{{SQL: claimAlerts},
				{SQL: nextAlert}})
			if err == nil {
				sending.Go(func() {
					a.send(ctx, object, due[0].Values)
					<-a.slots
				})
				continue
			}
			<-a.slots
			a.host.config.Log.Printf("edgelingua: alerts can't be sent: %v", err)
		}
		if err != nil {
			wait = alarmPause
		}
		var timer <-chan time.Time
		if object != "" || err != nil {
			timer = time.After(wait)
		}
		select {
		case <-ctx.Done():
		case <-a.alarms.Alarms():
		case <-timer:
		}
	}
}

// alertRow is an alert to send.
type alertRow struct {
	key                           [4]any // kind, subject, hook and period
	format, sealed, context, body string
}

// send sends claimed alerts of an object, and sets the object's next alarm. values are the columns of
// claimAlerts.
func (a *alerts) send(ctx context.Context, object string, values []any) {
	var all sync.WaitGroup
	ended := make([]store.Statement, 0, len(values)/8+1)
	for ; len(values) > 0; values = values[8:] {
		row := alertRow{key: [4]any(values[:4])}
		row.format, _ = values[4].(string)
		row.sealed, _ = values[5].(string)
		row.context, _ = values[6].(string)
		row.body, _ = values[7].(string)
		ended = append(ended, store.Statement{SQL: sentAlert})
		mine := &ended[len(ended)-1]
		all.Go(func() {
			status, wait, err := a.post(ctx, &row)
			if err != nil {
				a.host.config.Log.Printf("edgelingua: an alert of %s was not sent: %v", object, err)
			}
			mine.Args = append(row.key[:], float64(status), wait)
		})
	}
	all.Wait()
	_, err := a.host.config.Store.Batch(object, append(ended, store.Statement{SQL: nextAlert}))
	// without the table the webhook was removed meanwhile
	if err != nil && !strings.Contains(err.Error(), "no such table: alert") {
		a.host.config.Log.Printf("edgelingua: the state of sent alerts was not stored: %v", err)
	}
}

// The errors of an alert to a webhook that is gone, and to one that can't be reached.
var (
	errNoWebhook = errors.New("its webhook is not set any more")
	errNoAnswer  = errors.New("its webhook can't be reached")
)

// post sends an alert, and returns the status of the answer, 0 for none, and the seconds in its
// Retry-After. No error names the URL, which may be a secret.
func (a *alerts) post(ctx context.Context, row *alertRow) (status int, wait float64, err error) {
	env := a.host.config.Env
	target, secret := env["ALERT_URL"], env["ALERT_SECRET"]
	if row.sealed != "" {
		text, _, err := seal.Open(env, []byte(row.context), row.sealed)
		if err != nil {
			return 0, 0, err
		}
		target, secret, _ = strings.Cut(string(text), "\n")
	}
	u, err := url.Parse(target)
	if err != nil || target == "" {
		return 0, 0, errNoWebhook
	}
	body := []byte(row.body)
	if row.format == "ntfy" {
		body = forTopic(u, body)
	}
	ctx, cancel := context.WithTimeout(ctx, alertTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return 0, 0, errNoWebhook
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {page.Agent},
		"X-Edgelingua-Signature": {signature(secret, a.host.config.Now(), body)}}
	transport := a.host.config.Transport
	if transport == a.host.connections {
		transport = a.host.public // checks the address
	}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		switch {
		case ctx.Err() != nil:
			return 0, 0, errTimeout
		case errors.Is(err, outbound.ErrNotPublic):
			return 0, 0, outbound.ErrNotPublic
		}
		return 0, 0, errNoAnswer
	}
	answer.Body.Close() // unread
	if answer.StatusCode/100 != 2 {
		err = fmt.Errorf("status %d", answer.StatusCode)
	}
	seconds, _ := strconv.ParseUint(answer.Header.Get("Retry-After"), 10, 31) // a date counts as 0
	return answer.StatusCode, float64(seconds), err
}

// signature returns the header that signs an alert: the time, and the HMAC of the time and the body.
func signature(secret string, now time.Time, body []byte) string {
	at := fmt.Sprint(now.Unix())
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	return "t=" + at + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// forTopic adds the topic in the path of ntfy's URL to an alert, and removes it from the URL: ntfy reads
// JSON only at its root (docs.ntfy.sh/publish, "Publish as JSON").
func forTopic(u *url.URL, body []byte) []byte {
	var message map[string]any
	if json.Unmarshal(body, &message) != nil {
		return body
	}
	at := strings.LastIndexByte(u.Path, '/')
	message["topic"] = u.Path[at+1:]
	u.Path, u.RawPath = u.Path[:at+1], ""
	body, _ = json.Marshal(message)
	return body
}
