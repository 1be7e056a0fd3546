package deploy

import (
	"context"
	"time"

	"edgelingua/wasmtest/smoke"
)

// The pauses while a new address or a new secret spreads at Cloudflare.
const (
	firstPause = time.Second
	longPause  = 10 * time.Second
	tries      = 33 // five minutes of pauses, and the time of the requests
)

// wait waits until the worker answers and accepts the known keys.
func (d *deployment) wait(ctx context.Context) error {
	d.say("waiting for %s", d.url)
	return d.again(ctx, tries, func(first bool) error {
		target := smoke.Target{URL: d.reach(d.url), Key: d.secrets.known[clientKey]}
		if d.forward() || target.Key == "" || d.secrets.has(clientKey) {
			return smoke.Greet(ctx, target)
		}
		err := smoke.Reach(ctx, target)
		if err != nil && first {
			d.tell("not yet: a new address takes up to some minutes")
		}
		return err
	})
}

// again calls do until nil is returned, at most tries times, with growing pauses. first is true for
// the first call.
func (d *deployment) again(ctx context.Context, tries int, do func(first bool) error) error {
	for i, delay := 0, firstPause; ; i, delay = i+1, min(2*delay, longPause) {
		err := do(i == 0)
		switch {
		case ctx.Err() != nil:
			return errInterrupted
		case err == nil || i+1 == tries:
			return err
		}
		if err := d.pause(ctx, delay); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return errInterrupted
	}
}
