package irtest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"edgelingua/translator/ir"
)

// Body returns the body sent to an upstream for r, the losses, and the error. It fails the test if
// the body is not JSON, or if AppendRequest changes the bytes before the body. r needs no API and
// no model. If r has an API, the client's API has prefills (Continues). If r has no messages, it
// gets one: x of the user.
func Body(t testing.TB, u ir.Upstream, r ir.Request, target ir.Target) (string, []string, *ir.Error) {
	t.Helper()
	r.API = &ir.API{Name: "other", Client: Client{}, Continues: r.API != nil}
	r.Model = "m"
	if r.Messages == nil {
		r.Messages = []ir.Message{Said(ir.User, "x")}
	}
	const before = "before"
	var lost ir.Lost
	out, err := u.AppendRequest([]byte(before), &r, &target, &lost)
	body, ok := strings.CutPrefix(string(out), before)
	switch {
	case !ok, err != nil && body != "":
		t.Fatalf("changed or added to %s: %s", before, out)
	case err != nil:
		return "", nil, err
	case !json.Valid([]byte(body)):
		t.Fatalf("not JSON: %s", body)
	}
	return body, lost.Paths(), nil
}

// Rest is Body for a request that must not be refused. It returns the members after first, the
// beginning of the body.
func Rest(t testing.TB, u ir.Upstream, r ir.Request, target ir.Target, first string) (string, []string) {
	t.Helper()
	body, lost, err := Body(t, u, r, target)
	rest, ok := strings.CutPrefix(body, first)
	if err != nil || !ok {
		t.Fatalf("not %s: %s %v", first, body, err)
	}
	return strings.TrimPrefix(strings.TrimSuffix(rest, "}"), ","), lost
}

// Streamed returns the events that an upstream's decoder makes of a stream, and the losses. The
// stream's events have no names.
func Streamed(t testing.TB, u ir.Upstream, r *ir.Request, events ...string) (*Recorder, []string) {
	s, lost := Record(t), &ir.Lost{}
	Play(u.NewDecoder(r, &ir.Target{}, lost, s), events)
	s.RequireEnd()
	return s, lost.Paths()
}

// Plain is Streamed for a plain body.
func Plain(t testing.TB, u ir.Upstream, r *ir.Request, body string) (*Recorder, []string) {
	s, lost := Record(t), &ir.Lost{}
	u.NewDecoder(r, &ir.Target{}, lost, s).Body(body)
	s.RequireEnd()
	return s, lost.Paths()
}

// Play hands the events of a stream to a decoder, and ends the stream.
func Play(d ir.Decoder, events []string) {
	for _, event := range events {
		d.Event("", event)
	}
	d.Close(nil)
}

// RequireNoAllocs fails the test if a decoder allocates memory for a delta. It first repeats the
// delta until the decoder stops buffering.
func RequireNoAllocs(t testing.TB, d ir.Decoder, name, delta string) {
	t.Helper()
	for range 50_000 {
		d.Event(name, delta)
	}
	if n := testing.AllocsPerRun(100, func() { d.Event(name, delta) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
	if d.Complete() {
		t.Fatal("the answer is complete")
	}
}

// Recorded returns the text of a file with an answer of the real service. If the file is missing,
// the test is skipped: recordings are not part of the repository.
func Recorded(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Skip("no recorded answer: " + file)
	}
	return string(text)
}
