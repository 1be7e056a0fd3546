package ledger

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// answered is the translation of an upstream's answer.
type answered struct {
	failed *ir.Error
	body   string
	lost   []string
}

// answer translates an upstream's plain answer for a client with the request ask.
func answer(client, ask, body string, s *Server) (o answered) {
	x, before := exchange(client, ask, s)
	plain := x.Plain(nil)
	plain.Take([]byte(body), false)
	got, err := plain.Body()
	if err != nil {
		o.failed = ir.AsError(err)
	}
	o.body, o.lost = string(got), reported(paths(x.LostHeader())[before:])
	return o
}

// once returns a way to translate answers that translates each answer once: trials share answers.
func once(how answering) answering {
	known := map[translation]answered{}
	return func(client, ask, body string, s *Server) answered {
		key := translation{client, body, s}
		o, found := known[key]
		if !found {
			o = how(client, ask, body, s)
			known[key] = o
		}
		return o
	}
}

// judgeAnswer compares an answer with the member and the same answer without it, or with another
// value.
func judgeAnswer(client, ask, path, object, with, without string, s *Server, how answering) outcome {
	a, b := how(client, ask, with, s), how(client, ask, without, s)
	switch {
	case a.failed != nil && b.failed != nil && strings.Contains(path, ".error."):
		// the answer is an error with and without the member
		if *a.failed == *b.failed {
			return outcome{}
		}
		return outcome{state: "carried", as: []string{"error"}}
	case b.failed != nil:
		return outcome{fault: "without it: " + b.failed.Message}
	case a.failed != nil:
		return outcome{state: "refused"}
	}
	return compare(path, object, sent{body: a.body, lost: a.lost}, sent{body: b.body, lost: b.lost})
}

// TestJudgeAnswer finds a trial whose answer fails without the member too: such a trial says nothing
// about the member.
func TestJudgeAnswer(t *testing.T) {
	t.Parallel()
	to := &Server{Protocol: "interactions", Host: "upstream.example", Model: "m"}
	of := func(status string) string {
		return `{"id":"i","model":"m","status":"` + status + `","steps":[{"type":"model_output",` +
			`"content":[{"type":"text","text":"ho"}]}]}`
	}
	ask := `{"model":"m","messages":[{"role":"user","content":"hi"}]}`
	judge := func(with, without string) outcome {
		return judgeAnswer("chat", ask, "status", "status", of(with), of(without), to, answer)
	}
	require.Equal(t, "refused", judge("failed", "completed").state)
	require.Equal(t, "carried", judge("incomplete", "completed").state)
	require.Contains(t, judge("zqmark", "zqmark2").fault, "without it: ")
}
