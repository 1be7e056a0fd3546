package cli

import (
	"fmt"
	"io"
	"maps"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtext"
	"edgelingua/translator/jsonw"
	"edgelingua/wasmtest/corpus"
	"edgelingua/worker/endpoint"
)

// replay translates a recording natively. It prints the client's answer or, without an answer, the
// upstream's request.
func replay(o *replayOptions, stdin io.Reader, stdout, stderr io.Writer) error {
	s, err := o.recording(stdin)
	if err != nil {
		return err
	}
	e, err := settings(s, o.vars)
	if err != nil {
		return err
	}
	client := translator.API(s.Client)
	if e.Passes(client) && !o.events {
		return usageError{fmt.Errorf("both sides speak %s: there bytes pass; --events shows what is "+
			"in an answer", s.Client)}
	}
	x, out, err := ask(s, e)
	if err != nil {
		return err
	}
	switch {
	case o.events:
		out = nil
		translator.ForWorker(x).Record(lines{&out}, s.Answer.Body, !s.Answer.SSE)
	case s.Answer != nil:
		var failure error
		if out, failure = s.Answer.For(x); failure != nil {
			e := ir.AsError(failure)
			fmt.Fprintln(stderr, "status:", client.Status(e))
			out = client.Client.AppendError(nil, e)
		}
	}
	for _, path := range x.Lost.Paths() {
		fmt.Fprintln(stderr, "lost:", path)
	}
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	_, err = stdout.Write(out)
	return err
}

// settings returns the upstream of the vars and the recording's config.
func settings(s *corpus.Scenario, vars map[string]string) (*endpoint.Upstream, error) {
	settings := s.Settings(s.Upstream)
	maps.Copy(settings, vars)
	settings["UPSTREAM_PROTOCOL"] = s.Upstream
	return corpus.Upstream(settings)
}

// ask returns the exchange of a recording, and the body for the upstream.
func ask(s *corpus.Scenario, u *endpoint.Upstream) (x *translator.Exchange, request []byte, err error) {
	pair, _ := translator.Lookup(s.Client, s.Upstream)
	x, refused := pair.Decode(s.Path, s.Request)
	if refused != nil {
		return nil, nil, refusal(pair.Client, refused)
	}
	model := u.Models.Map(jsonw.Unescape(x.Request.Model))
	target, err := s.Target(u, model)
	if err != nil {
		return nil, nil, err
	}
	x.Request.Model = jsonw.Escape(model)
	x.Request.Received = corpus.Received // a fixed time: the same recording gives the same output
	corpus.Obey(x, u)
	x.FindTools = true // as in the worker
	request, refused = x.AppendRequest(nil, target)
	if refused != nil {
		return nil, nil, refusal(pair.Client, refused)
	}
	return x, request, nil
}

// refusal returns an error with the status and message of a refused request.
func refusal(client *ir.API, refused error) error {
	e := ir.AsError(refused)
	return fmt.Errorf("the request is refused with status %d: %s", client.Status(e), e.Error())
}

// lines is a sink with a line for each event.
type lines struct{ to *[]byte }

func (l lines) Event(ev *ir.Event) { *l.to = irtext.AppendLine(*l.to, ev) }
