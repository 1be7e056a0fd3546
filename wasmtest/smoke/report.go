package smoke

import "time"

// Result is the result of a check.
type Result struct {
	Name     string  `json:"name"`
	Pair     string  `json:"pair"`
	OK       bool    `json:"ok"`
	MS       float64 `json:"ms"`
	Expected string  `json:"expected,omitempty"`
	Got      string  `json:"got,omitempty"`
	Note     string  `json:"note,omitempty"`

	column string // a column of the table
	mode   string // streamed, plain, or "" for a check without a mode
}

// Usage is the number of tokens used by the requests on one path.
type Usage struct {
	Path   string `json:"path"`
	Input  int    `json:"input_tokens"`
	Output int    `json:"output_tokens"`
}

// Report has the results of all checks.
type Report struct {
	OK     bool     `json:"ok"`
	MS     float64  `json:"ms"`
	Checks []Result `json:"checks"`
	Usage  []*Usage `json:"usage,omitempty"` // only of Live
}

// Progress is called before each check with the number of finished checks, the number of all
// checks, and the name of the next check.
type Progress func(done, all int, check string)

// check is one check. pair is "client/upstream", or only a client. column and mode say where the
// result is in the table.
type check struct {
	pair, column, name, mode string
	client                   *client
	run                      func(c *client)
}

// title returns the name of the check in a report.
func (c *check) title() string {
	if c.mode == "" {
		return c.name
	}
	return c.name + ", " + c.mode
}

// The modes of an answer.
const (
	streamed = "streamed"
	plain    = "plain"
)

func modeOf(stream bool) string {
	if stream {
		return streamed
	}
	return plain
}

// runAll runs checks one after the other, to make their times comparable. It stops if stop returns
// true.
func runAll(checks []check, progress Progress, stop func() bool) *Report {
	start := time.Now()
	r := &Report{OK: true}
	for i, check := range checks {
		if progress != nil {
			progress(i, len(checks), check.pair+" "+check.title())
		}
		began := time.Now()
		f := attempt(func() { check.run(check.client) })
		result := Result{
			Name: check.title(), Pair: check.pair, OK: f == nil,
			MS: milliseconds(time.Since(began)), Note: check.client.note,
			column: check.column, mode: check.mode,
		}
		if f != nil {
			result.Expected, result.Got = f.expected, f.got
			r.OK = false
		}
		r.Checks = append(r.Checks, result)
		if stop() {
			break
		}
	}
	r.MS = milliseconds(time.Since(start))
	return r
}

func milliseconds(d time.Duration) float64 { return float64(d.Round(100*time.Microsecond)) / 1e6 }
