package smoke

import "time"

// Result is what came of a check.
type Result struct {
	Name     string  `json:"name"`
	Pair     string  `json:"pair"`
	OK       bool    `json:"ok"`
	MS       float64 `json:"ms"`
	Expected string  `json:"expected,omitempty"`
	Got      string  `json:"got,omitempty"`
	Note     string  `json:"note,omitempty"`

	column string // of the table
	mode   string // streamed, plain or "": neither
}

// Usage is how many tokens the requests of one path took.
type Usage struct {
	Path   string `json:"path"`
	Input  int    `json:"input_tokens"`
	Output int    `json:"output_tokens"`
}

// Report is what came of all checks.
type Report struct {
	OK     bool     `json:"ok"`
	MS     float64  `json:"ms"`
	Checks []Result `json:"checks"`
	Usage  []*Usage `json:"usage,omitempty"` // of Live
}

// Progress is told before each check which one it is, and of how many.
type Progress func(done, all int, check string)

// check is one to run. Its column and mode name it, pair says between whom: "client/upstream", or a client alone.
type check struct {
	pair, column, name, mode string
	client                   *client
	run                      func(c *client)
}

// title is the name of a check in a report.
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

// runAll runs checks one after the other, so that the times mean something. It stops where stop says so.
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
			Name: check.title(), Pair: check.pair, OK: f == nil, MS: milliseconds(time.Since(began)), Note: check.client.note,
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
