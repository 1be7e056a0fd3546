package ledger

import "edgelingua/translator/ir"

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

// judgeAnswer compares an answer with the member and the same answer without it, or with another
// value.
func judgeAnswer(client, ask, path, with, without string, s *Server, how answering) outcome {
	a, b := how(client, ask, with, s), how(client, ask, without, s)
	if a.failed != nil {
		return outcome{state: "refused"}
	}
	if b.failed != nil {
		return outcome{fault: "without it: " + b.failed.Message}
	}
	return compare(path, sent{body: a.body, lost: a.lost}, sent{body: b.body, lost: b.lost})
}
