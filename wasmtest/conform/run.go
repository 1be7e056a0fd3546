package conform

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// State is the result of a case.
type State string

const (
	Passed  State = "passed"
	Failed  State = "failed"
	Skipped State = "skipped" // the case needs more than this run has, or does not apply
	Absent  State = "absent"  // the server does not have this optional feature
)

// Result is the result of a case for one client's API and, with a scripted upstream, one upstream.
type Result struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Client   string   `json:"client"`
	Upstream string   `json:"upstream,omitempty"`
	State    State    `json:"state"`
	Severity Severity `json:"severity"`
	Expected string   `json:"expected,omitempty"`
	Got      string   `json:"got,omitempty"`
	Note     string   `json:"note,omitempty"`
}

// Report has the results of a run.
type Report struct {
	OK       bool          `json:"ok"`       // a case passed, and no case failed
	Target   string        `json:"target"`   // the server's URL
	MS       float64       `json:"ms"`       // duration
	Counts   map[State]int `json:"counts"`   // results by state
	Requests int           `json:"requests"` // answers of a model
	Tokens   Usage         `json:"-"`
	APIs     []Served      `json:"apis"`
	Results  []Result      `json:"results"`
	Stopped  string        `json:"stopped,omitempty"` // why the run ended early
}

// Options are the choices of a run.
type Options struct {
	Only, Skip []string
	// Progress is called before each probe; nil: not.
	Progress func(done, all int, what string)
}

// chosen reports whether a run has a case.
func (o *Options) chosen(c *Case) bool {
	return (len(o.Only) == 0 || Matches(c.ID, o.Only)) && !Matches(c.ID, o.Skip)
}

// The longest times for one whole answer: of a model, and of a gateway at a scripted upstream.
const (
	livePatience     = time.Minute
	scriptedPatience = 20 * time.Second
)

// maxHung is the number of probes in a row without an answer after which a run ends.
const maxHung = 3

// runner is a run in progress.
type runner struct {
	ctx      context.Context
	cancel   context.CancelFunc
	target   Target
	upstream *Upstream // nil: a server with a model
	options  Options
	workers  int
	patience time.Duration

	renamed atomic.Bool // see client.limited

	mu     sync.Mutex
	done   int
	hung   int
	report *Report
}

// job is a probe for one API, with the cases that judge it.
type job struct {
	served *Served
	probe  *Probe
	cases  []*Case
}

// Check runs the cases for a server with a model, for the APIs that Find has found.
func Check(ctx context.Context, target Target, served []Served, options Options) *Report {
	return (&runner{target: target, options: options, workers: 2,
		patience: cmp.Or(target.Patience, livePatience)}).run(ctx, served)
}

// CheckGateway runs the cases for a gateway whose upstream is u.
func CheckGateway(ctx context.Context, target Target, u *Upstream, served []Served, options Options) *Report {
	return (&runner{target: target, upstream: u, options: options, workers: 4,
		patience: cmp.Or(target.Patience, scriptedPatience)}).run(ctx, served)
}

// Requests returns the number of requests to a model that Check makes.
func Requests(served []Served, options Options) (n int) {
	r := &runner{options: options, report: &Report{}}
	for _, j := range r.jobs(served) {
		if j.probe.live {
			n++
		}
	}
	return n
}

// jobs returns the jobs of a run, and adds a result for each case to the report.
func (r *runner) jobs(served []Served) (jobs []*job) {
	name := ""
	if r.upstream != nil {
		name = r.upstream.name
	}
	for i := range served {
		s := &served[i]
		if !s.Served {
			continue
		}
		by := map[*Probe]*job{}
		for _, c := range arranged() {
			if c.API() != s.Name || !r.options.chosen(c) {
				continue
			}
			r.report.Results = append(r.report.Results, Result{ID: c.ID, Title: c.Title, Client: s.Name,
				Upstream: name, Severity: c.Severity, State: Skipped})
			index := len(r.report.Results) - 1
			if r.upstream == nil && (c.needs != form || !c.probe.live && !c.probe.free) {
				r.report.Results[index].Note = "needs a scripted upstream (--upstream)"
				continue
			}
			j := by[c.probe]
			if j == nil {
				j = &job{served: s, probe: c.probe}
				by[c.probe] = j
				jobs = append(jobs, j)
			}
			j.cases = append(j.cases, c)
		}
	}
	return jobs
}

func (r *runner) run(parent context.Context, served []Served) *Report {
	begin := time.Now()
	r.ctx, r.cancel = context.WithCancel(parent)
	defer r.cancel()
	r.report = &Report{Target: r.target.URL, APIs: served, Counts: map[State]int{}}
	jobs := r.jobs(served)
	queue := make(chan *job)
	var workers sync.WaitGroup
	for range r.workers {
		workers.Go(func() {
			for j := range queue {
				r.do(j, len(jobs))
			}
		})
	}
	for _, j := range jobs {
		if r.ctx.Err() != nil {
			break
		}
		queue <- j
	}
	close(queue)
	workers.Wait()
	if parent.Err() != nil && r.report.Stopped == "" {
		r.report.Stopped = "the run was cancelled"
	}
	for i := range r.report.Results {
		x := &r.report.Results[i]
		r.report.Counts[x.State]++
		for _, text := range []*string{&x.Expected, &x.Got, &x.Note} {
			*text = Plain(r.target.Hide(*text))
		}
	}
	r.report.Stopped = Plain(r.target.Hide(r.report.Stopped))
	r.report.OK = r.report.Counts[Passed] > 0 && r.report.Counts[Failed] == 0 && r.report.Stopped == ""
	r.report.MS = float64(time.Since(begin).Round(100*time.Microsecond)) / 1e6
	return r.report
}

// do runs a probe and judges its cases.
func (r *runner) do(j *job, all int) {
	r.mu.Lock()
	if r.options.Progress != nil {
		r.options.Progress(r.done, all, j.served.Name+" "+j.probe.name)
	}
	r.done++
	r.mu.Unlock()
	record := r.probe(j)
	r.mu.Lock()
	defer r.mu.Unlock()
	if record.hung == nil {
		r.hung = 0
	} else {
		if r.hung++; r.hung >= maxHung && r.report.Stopped == "" {
			r.stop(fmt.Sprintf("%d conversations in a row had no whole answer, the last one: %s; is the "+
				"server "+
				"overloaded?",
				r.hung, record.hung.got))
		}
	}
	for _, c := range j.cases {
		i := slices.IndexFunc(r.report.Results, func(x Result) bool { return x.ID == c.ID })
		if r.ctx.Err() != nil && record.hung != nil {
			r.report.Results[i].Note = "the run ended before"
			continue
		}
		judge(c, record, &r.report.Results[i])
	}
}

// stop ends the run. The caller holds mu.
func (r *runner) stop(why string) {
	if r.report.Stopped == "" {
		r.report.Stopped = why
	}
	r.cancel()
}

// answerFault turns a runtime error into a fault: an answer has another form than a probe or a case
// expects, such as a list without its first element. Other values are returned unchanged.
func answerFault(recovered any) any {
	if err, ok := recovered.(runtime.Error); ok {
		return &fault{"an answer that this case can read", Show(err.Error())}
	}
	return recovered
}

// judge judges a record.
func judge(c *Case, record *Record, result *Result) {
	result.State = Passed
	result.Note = record.Note
	defer func() {
		switch v := answerFault(recover()).(type) {
		case nil:
		case *fault:
			result.State, result.Expected, result.Got = Failed, v.expected, v.got
		case *notServed:
			result.State, result.Note = Absent, v.why
		case *skipped:
			result.State, result.Note = Skipped, v.why
		default:
			panic(v)
		}
	}()
	record.keepsKey()
	if record.skip != "" {
		panic(&skipped{record.skip})
	}
	if record.hung != nil {
		panic(record.hung)
	}
	c.judge(record)
}

// probe runs the probe of a job.
func (r *runner) probe(j *job) *Record {
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	record := &Record{Client: j.served.Name, api: j.served.api, probe: j.probe, key: r.target.Key}
	c := &client{ctx: ctx, target: &r.target, api: j.served.api, prefix: j.served.prefix,
		model:    r.target.Model,
		patience: r.patience, limit: 200, record: record}
	if r.upstream == nil {
		c.live, c.limit, c.more, c.renamed = true, MaxTokens, r.spent, &r.renamed
	} else {
		record.Upstream = r.upstream.name
		if c.model == "" {
			c.model = r.upstream.Model()
			if j.probe.model != nil {
				c.model = cmp.Or(j.probe.model(r.upstream.name), c.model)
			}
		}
		c.mark = newMark()
		c.session = r.upstream.begin(ctx, c.mark, j.probe)
		defer r.upstream.end(c.mark)
	}
	func() {
		defer func() {
			switch v := answerFault(recover()).(type) {
			case nil:
			case *fault:
				record.hung = v
			case *skipped:
				record.skip = v.why
			default:
				panic(v)
			}
		}()
		j.probe.run(c)
	}()
	if c.session != nil {
		record.Got = c.session.requests()
	} else if last := record.last(); last != nil {
		switch {
		case last.Status == http.StatusTooManyRequests:
			r.mu.Lock()
			r.stop(limited(r.target.URL, last).Error())
			r.mu.Unlock()
		case last.Stop == limits.of(record.api) && last.Text == "" && len(last.Calls) == 0:
			record.skip = fmt.Sprintf("the model used its %d tokens up before it said anything", MaxTokens)
		case last.Status == http.StatusBadRequest && (j.probe == callPlain || j.probe == callStream):
			record.skip = "forced calls are refused: " + Show(last.Body)
		}
	}
	return record
}

// spent counts the tokens of a model's answer. An answer above the limit ends the run, since the limit
// did not reach the model.
func (r *runner) spent(u Usage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Requests++
	r.report.Tokens.Input += u.Input
	r.report.Tokens.Output += u.Output
	if u.Output > MaxTokens {
		r.stop(fmt.Sprintf("an answer had %d tokens, and the limit is %d: the limit does not reach the model",
			u.Output, MaxTokens))
	}
}

func (r *Record) last() *Reply {
	if len(r.Replies) == 0 {
		return nil
	}
	return r.Replies[len(r.Replies)-1]
}
