package translator

import (
	"edgelingua/translator/compact"
	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/policy"
	"edgelingua/translator/stages"
	"edgelingua/translator/textcalls"
)

// Exchange is one request and its answer. The package comment has the order of the calls. The caller
// sets Policy, AskUsage, MaxSearches, MaxFetches, FindTools, MaxOutput and Secrets before
// AppendRequest, and does not change them afterwards.
type Exchange struct {
	pair            Pair
	clientModel     ir.Escaped  // the client's name of the model, also in its answer
	target          *ir.Target  // what the upstream accepts
	upstreamRequest *ir.Request // Request after the context edits, Policy and the stages

	// Request is the client's request. The caller may change it before AppendRequest.
	Request *ir.Request

	// Policy has the caller's changes to requests, as for certain tools; nil: none.
	Policy *policy.Policy

	// AskUsage asks the upstream for the usage of a stream even if the client does not, and
	// estimates the answer's tokens while the answer arrives.
	AskUsage bool

	// Lost has the losses: fields of the request that the upstream does not accept, by their paths
	// in the client's protocol, and fields of the answer that the client does not accept, by their
	// paths in the upstream's. Lost is complete when the answer is.
	Lost ir.Lost

	// Usage has the tokens that the upstream has counted so far. A negative count is unknown.
	Usage ir.Usage
	// Fast reports whether the upstream has said that it answers in fast mode, for a higher price.
	Fast bool

	// MaxSearches is how many web searches the caller runs for the answer if the upstream runs none:
	// see Rounds. 0: none.
	MaxSearches int64

	// Searches counts the web searches of the answer so far.
	Searches int64

	// Ran counts the web searches of the answer that the caller has run.
	Ran int64

	// FindTools lets the model search deferred tools if the upstream can't: see Rounds. Otherwise the
	// model of such an upstream has all tools.
	FindTools bool

	// MaxFetches is how many webpages the caller fetches for the answer if the upstream fetches none:
	// see Rounds. 0: none.
	MaxFetches int64

	// Fetched counts the webpages that the caller has fetched for the answer so far.
	Fetched int64

	// Failed is the kind of the answer's failure, 0 for none.
	Failed ir.ErrorKind

	// MaxOutput limits the bytes of answers that must be buffered as a whole: plain answers, and
	// streams of clients whose API has EndHasAnswer. 0 means 4 MB.
	MaxOutput int64

	summary   *compact.Summary // nil: the answer begins with none
	id        string           // of an exchange of Summarize: the upstream's id of the answer
	web       *stages.WebTools // nil: the caller runs no web tools
	maxAdvice int64            // how often the caller asks an advisor if the upstream has none; 0: never
	keys      stages.Keys      // the renamed keys of tools' properties
	form      stages.Form      // the way the request asks for the answer's format
	finished  bool             // the answer is complete
	stop      ir.StopReason    // why the answer ended, if finished
	output    count.Output     // estimates the tokens of the answer
	whole     bool             // a plain body is being read: output estimates it later, if needed
	calls     bool             // the open block of the answer is a call of a function
	arguments jsonr.Pieces     // of the open call

	// Secrets returns the upstream's key and the values of its headers, the longest first; nil: there
	// are none. If the upstream repeats a secret of 16 bytes or more in an error, the client gets
	// "[key]" instead. Secrets is called for errors only.
	Secrets func() []string
}

// AppendRequest appends the body for an upstream that accepts t. It is called once. t also says how
// the answer is read, so t is retained until the answer is complete, and must not change. The error
// is the client's fault, and then dst is returned unchanged.
func (x *Exchange) AppendRequest(dst []byte, t *ir.Target) ([]byte, error) {
	dst, err := x.appendRequest(dst, t)
	return dst, x.pair.failed(err)
}

func (x *Exchange) appendRequest(dst []byte, t *ir.Target) ([]byte, *ir.Error) {
	x.target = t
	own := x.pair.Client == x.pair.Upstream
	if err := compact.Check(x.Request, t, own, x.summary != nil, &x.Lost); err != nil {
		return dst, err
	}
	x.upstreamRequest = x.edited()
	if !own {
		for i := range x.Request.Own {
			if m := &x.Request.Own[i]; jsonr.Asks(m.Value) { // also of a member without a value
				x.Lost.Add(m.Key)
			}
		}
	}
	var err *ir.Error
	if x.Policy != nil {
		if x.upstreamRequest, err = x.Policy.Apply(x.upstreamRequest, &x.Lost); err != nil {
			return dst, err
		}
	}
	if x.upstreamRequest, err = stages.TextOnly(x.upstreamRequest, t, &x.Lost); err != nil {
		return dst, err
	}
	if x.AskUsage && x.upstreamRequest.Stream {
		sent := *x.upstreamRequest
		sent.StreamUsage = true
		x.upstreamRequest = &sent
	}
	web := &stages.WebTools{Request: x.Request, Usage: &x.Usage, MaxSearches: x.MaxSearches,
		MaxFetches: x.MaxFetches, FindTools: x.FindTools, MaxAdvice: x.maxAdvice}
	up, offered := x.pair.Upstream, false
	if x.upstreamRequest, offered = web.Offer(x.upstreamRequest, t, up, &x.Lost); !offered {
		web = nil
	}
	x.web = web
	x.upstreamRequest, x.form = stages.RequestFormat(x.upstreamRequest, t, up, &x.Lost)
	if x.pair.Client != up {
		x.upstreamRequest, x.keys = stages.RenameKeys(x.upstreamRequest, t)
		runs := up.Upstream.Runs(ir.ProgramTool, t) && x.upstreamRequest.RunsPrograms(t)
		x.upstreamRequest.LoseCallers(runs, &x.Lost)
	}
	if x.watchesStops() {
		if err := stages.CheckStops(x.Request); err != nil {
			return dst, err
		}
	}
	return up.Upstream.AppendRequest(dst, x.upstreamRequest, t, &x.Lost)
}

// Headers returns the headers that the upstream needs only for this request, after AppendRequest.
func (x *Exchange) Headers() []ir.Header {
	if needs := x.pair.Upstream.Needs; needs != nil && x.pair.Client != x.pair.Upstream {
		return needs(x.upstreamRequest, x.target)
	}
	return nil
}

// UpstreamError reads an upstream's answer with a status of 400 or more, and reports the error to
// Pair.OnError. body may be invalid, and is not retained.
func (x *Exchange) UpstreamError(status int, body []byte) *ir.Error {
	e := x.withoutSecrets(x.pair.Upstream.Upstream.DecodeError(status, view(body)))
	x.pair.failed(e)
	return e
}

// AppendBody appends the client's plain body for an upstream's plain body, or returns the error
// that ended the answer.
func (x *Exchange) AppendBody(dst, body []byte) ([]byte, error) {
	p := x.Plain(dst)
	p.Take(body, false)
	return p.Body()
}

// AppendFolded appends the client's plain body for an upstream's whole stream, or returns the error
// that ended the answer.
func (x *Exchange) AppendFolded(dst, stream []byte) ([]byte, error) {
	p := x.Plain(dst)
	p.Take(stream, true)
	return p.Body()
}

// edited returns the request after the client's context edits. If the upstream makes the edits
// itself, the request is returned unchanged.
func (x *Exchange) edited() *ir.Request {
	r := x.Request
	if r.Edits == nil || x.pair.Client == x.pair.Upstream && x.target.OwnCompaction {
		return r
	}
	return compact.Edit(r, &x.Lost)
}

// decoder returns a decoder of the upstream's answer. Its events pass through the stages that the
// request needs, and then come to sink.
func (x *Exchange) decoder(sink ir.Sink, a stages.Arrival) ir.Decoder {
	if x.summary != nil {
		sink = x.summary.Begin(sink)
	}
	if up := x.pair.Upstream; x.pair.Client != up {
		sink = stages.DropTrailing(x.Request, &x.Lost, sink)
		var hidden *count.Output
		if x.AskUsage {
			hidden = &x.output
		}
		sink = stages.HideReasoning(x.Request, x.target, up, hidden, sink)
	}
	if x.watchesStops() {
		sink = stages.Stops(x.Request.Stop, a, sink)
	}
	sink = stages.AnswerFormat(x.form, sink)
	if x.Policy != nil {
		sink = x.Policy.Restore(x.Request, sink)
	}
	if x.web != nil {
		x.web.SetSink(sink)
		sink = x.web
	}
	return x.roundDecoder(sink)
}

// roundDecoder returns a decoder of one round's answer, with the stages of the round.
func (x *Exchange) roundDecoder(sink ir.Sink) ir.Decoder {
	sink = stages.CustomCalls(x.upstreamRequest, stages.RestoreKeys(x.keys, sink))
	if x.target.TextCalls {
		f := &x.Request.Format
		isJSON := x.form != stages.ByTool && (f.Object || f.Schema != "")
		sink = textcalls.New(x.upstreamRequest, x.pair.Upstream.MaxToolName, isJSON, sink)
	}
	return x.pair.Upstream.Upstream.NewDecoder(x.upstreamRequest, x.target, &x.Lost, sink)
}

// watchesStops reports whether the upstream can't be sent all stop sequences of the client.
func (x *Exchange) watchesStops() bool {
	return stages.WatchesStops(x.Request, x.target, x.pair.Upstream)
}
