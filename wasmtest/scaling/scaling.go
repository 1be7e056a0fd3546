//go:build unix

// Package scaling measures how the CPU time of a function grows with its input, in the stage "CPU
// bounds" of ./build.sh test --full. A plain run of go test measures no times and skips Check.
package scaling

import (
	"fmt"
	"iter"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The sizes of the two inputs of a case, and the most that the CPU time may grow between them.
// Linear time grows 16 times, quadratic time 256 times.
const (
	small = 32 << 10
	large = 512 << 10
	most  = 64
)

const (
	tries    = 5                      // of which the fastest counts
	doubtful = 28                     // a first try that grows less is not tried again
	shortest = 500 * time.Microsecond // a shorter function is repeated until it takes this long
	shown    = 10
)

// Case is a function whose input may have any size.
type Case struct {
	Name string
	// Of returns the function for an input of about size bytes.
	Of func(size int) (run func())
}

// growth is the measured growth of a case.
type growth struct {
	name          string
	before, after time.Duration
}

func (g growth) factor() float64 { return float64(g.after) / float64(g.before) }

func (g growth) String() string {
	return fmt.Sprintf("%6.1f times: %10v, %10v  %.150s", g.factor(), g.before, g.after,
		strings.Join(strings.Fields(g.name), " "))
}

// Cases yields cases, until yield returns false.
type Cases = iter.Seq[Case]

// Check measures cases, prints the worst ten, and fails if 16 times the bytes cost more than 64
// times the CPU. The variable SCALING says how many: 1 for all, 4 for every fourth; SEED says which
// ones. Without SCALING the test is skipped.
func Check(t *testing.T, lists ...Cases) {
	t.Helper()
	step := number(t, "SCALING")
	if step == 0 {
		t.Skip("./build.sh test --full measures CPU times")
	}
	// a collection during a measurement would count as the function's time
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	var all []growth
	n := number(t, "SEED")
	for _, cases := range lists {
		for c := range cases {
			if n++; n%step == 0 {
				all = append(all, measure(c))
			}
		}
	}
	slices.SortFunc(all, func(a, b growth) int { return int(b.factor()*1000) - int(a.factor()*1000) })
	fmt.Printf("%s: %d cases, the worst:\n", t.Name(), len(all))
	for _, g := range all[:min(shown, len(all))] {
		fmt.Println(g)
	}
	for _, g := range all {
		if g.factor() > most {
			t.Errorf("16 times the bytes cost %v", g)
		}
	}
}

// number returns a variable's value, 0 if it is not set.
func number(t *testing.T, variable string) int {
	n, err := strconv.Atoi(os.Getenv(variable))
	if os.Getenv(variable) != "" && (err != nil || n < 0) {
		t.Fatalf("%s=%s is no number", variable, os.Getenv(variable))
	}
	return n
}

// measure runs a case with both sizes, up to five times each.
func measure(c Case) growth {
	g := growth{name: c.Name}
	before, after := c.Of(small), c.Of(large)
	for i := range tries {
		if took := cpuTime(before); i == 0 || took < g.before {
			g.before = took
		}
		if took := cpuTime(after); i == 0 || took < g.after {
			g.after = took
		}
		if g.factor() < doubtful {
			break
		}
	}
	return g
}

// cpuTime returns the CPU time of one run.
func cpuTime(run func()) time.Duration {
	for n := 1; ; n *= 4 {
		start := used()
		for range n {
			run()
		}
		if took := used() - start; took >= shortest {
			return took / time.Duration(n)
		}
	}
}

// used returns the CPU time of this process so far.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
