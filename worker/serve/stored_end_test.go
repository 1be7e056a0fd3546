package serve_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/store"
)

// pendingBatch is a batch of the worker that waits for the test.
type pendingBatch struct {
	object     string
	statements []store.Statement
	run        chan error // the error of the batch, or nil
}

// lastEvents returns the data of the last two events of a stream.
func lastEvents(stream string) (before, last gjson.Result) {
	events := strings.Split(strings.TrimSpace(stream), "\n\n")
	data := func(event string) gjson.Result {
		_, text, _ := strings.Cut(event, "\ndata: ")
		return gjson.Parse(text)
	}
	return data(events[max(len(events)-2, 0)]), data(events[len(events)-1])
}

// TestStoredBeforeTheEnd: the end of an answer waits until the answer is stored.
func TestStoredBeforeTheEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(t *testing.T, d *deployment,
		begin func(chunks ...string) (*call, *scene), batches chan pendingBatch){
		"waits, and lets the upstream go": func(t *testing.T, d *deployment,
			begin func(...string) (*call, *scene), batches chan pendingBatch) {
			c, x := begin(streamOf["chat"]...)
			c.until("response.output_text.delta")
			rest := make(chan string)
			go func() {
				text, _ := c.rest()
				rest <- text
			}()
			batch := <-batches
			assert.Equal(t, "deployment", batch.object)
			assert.True(t, strings.HasPrefix(batch.statements[0].SQL,
				"CREATE TABLE IF NOT EXISTS responses "),
				batch.statements[0].SQL)
			<-x.gone
			synctest.Wait()
			select {
			case <-c.over:
				t.Error("the answer has ended before it was stored")
			default:
			}
			batch.run <- nil
			_, last := lastEvents(<-rest)
			assert.Equal(t, "response.completed", last.Get("type").Str)
		},
		"fails if it can't be stored": func(t *testing.T, d *deployment, begin func(...string) (*call,
			*scene),
			batches chan pendingBatch) {
			c, _ := begin(streamOf["chat"]...)
			go func() { (<-batches).run <- errors.New("no luck") }()
			text, _ := c.rest()
			before, last := lastEvents(text)
			assert.Equal(t, []string{"error", "response.failed"},
				[]string{before.Get("type").Str, last.Get("type").Str})
			assert.Contains(t, last.Get("response.error.message").Str, "could not be stored: no luck.")
		},
		"does not wait for ever": func(t *testing.T, d *deployment, begin func(...string) (*call, *scene),
			batches chan pendingBatch) {
			c, _ := begin(streamOf["chat"]...)
			go func() {
				batch := <-batches
				time.Sleep(time.Hour)
				batch.run <- nil
			}()
			text, _ := c.rest()
			_, last := lastEvents(text)
			assert.Equal(t, "response.failed", last.Get("type").Str)
			assert.Contains(t, last.Get("response.error.message").Str,
				"could not be stored: it took more than 5 seconds.")
			time.Sleep(2 * time.Hour)
		},
		"is stored for a client that leaves meanwhile": func(t *testing.T, d *deployment,
			begin func(...string) (*call, *scene), batches chan pendingBatch) {
			for _, leaves := range []bool{true, false} {
				c, _ := begin(streamOf["chat"]...)
				c.until("response.output_text.delta")
				rest := make(chan string, 1)
				if !leaves {
					go func() {
						text, _ := c.rest()
						rest <- text
					}()
				}
				batch := <-batches
				if leaves {
					c.cancel()
				}
				batch.run <- nil
				if leaves {
					c.leave()
					continue
				}
				_, last := lastEvents(<-rest)
				assert.Equal(t, "response.completed", last.Get("type").Str)
			}
		},
		"is not stored if it has failed": func(t *testing.T, d *deployment, begin func(...string) (*call,
			*scene),
			batches chan pendingBatch) {
			c, x := begin(streamOf["chat"][:2]...)
			c.until("response.output_text.delta")
			go x.cut()
			text, _ := c.rest() // with a batch, rest would hang
			_, last := lastEvents(text)
			assert.Equal(t, "response.failed", last.Get("type").Str)
			next, _ := begin(streamOf["chat"]...)
			go func() { (<-batches).run <- nil }()
			text, _ = next.rest()
			_, last = lastEvents(text)
			assert.Equal(t, "response.completed", last.Get("type").Str)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := deploy(t, map[string]string{"OPTIONS": `{"store":"on"}`, "UPSTREAM_TIMEOUT": "5"})
				d.bubble = true
				up, batches := d.stage("up.test"), make(chan pendingBatch)
				d.batch = func(object string, statements []store.Statement) error {
					b := pendingBatch{object, statements, make(chan error)}
					batches <- b
					return <-b.run
				}
				begin := func(chunks ...string) (*call, *scene) {
					c := d.open(newRequest(context.Background(), "POST", "/v1/responses",
						`{"model":"m","input":"q","stream":true}`))
					x := up.next()
					x.begin(200)
					go func() {
						for _, chunk := range chunks {
							x.send(chunk)
						}
					}()
					return c, x
				}
				test(t, d, begin, batches)
			})
		})
	}
}
