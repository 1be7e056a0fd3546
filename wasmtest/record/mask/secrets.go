package mask

import "fmt"

// mostSecrets is the total length of a Masker's secrets in bytes. A common beginning of several
// secrets counts once. Each byte costs memory.
const mostSecrets = 64 << 10

// automaton finds a set of secrets in one pass over a text, regardless of the number of secrets and
// of near matches (Aho and Corasick, "Efficient string matching", 1975). A state is the beginning
// of a secret; state 0 is the empty one.
type automaton struct {
	next   map[uint64]int32 // from a state (upper bits) and a byte to the state longer by that byte
	first  [256]int32       // next of state 0
	back   []int32          // the longest proper suffix of each state that is a state too
	length []int32          // bytes of the state
	whole  []int32          // bytes of the longest secret at the end of each state; 0: none
}

// newAutomaton makes the automaton of secrets. Secrets with fewer than Shortest bytes are ignored.
func newAutomaton(secrets []string) (*automaton, error) {
	a := &automaton{next: map[uint64]int32{}, back: []int32{0}, length: []int32{0}, whole: []int32{0}}
	last := []byte{0} // the last byte of each state
	above := []int32{0}
	for _, secret := range secrets {
		if len(secret) < Shortest {
			continue
		}
		state := int32(0)
		for i := range len(secret) {
			to, ok := a.longer(state, secret[i])
			if !ok {
				if to = int32(len(a.length)); to > mostSecrets {
					return nil, fmt.Errorf("its secrets have more than %d KB", mostSecrets>>10)
				}
				a.link(state, secret[i], to)
				a.length = append(a.length, int32(i+1))
				a.back, a.whole = append(a.back, 0), append(a.whole, 0)
				last, above = append(last, secret[i]), append(above, state)
			}
			state = to
		}
		a.whole[state] = a.length[state]
	}
	for _, state := range a.byLength() {
		if above[state] != 0 {
			a.back[state] = a.step(a.back[above[state]], last[state])
		}
		a.whole[state] = max(a.whole[state], a.whole[a.back[state]])
	}
	return a, nil
}

func (a *automaton) longer(state int32, c byte) (int32, bool) {
	if state == 0 {
		return a.first[c], a.first[c] != 0
	}
	to, ok := a.next[uint64(state)<<8|uint64(c)]
	return to, ok
}

func (a *automaton) link(state int32, c byte, to int32) {
	if state == 0 {
		a.first[c] = to
	} else {
		a.next[uint64(state)<<8|uint64(c)] = to
	}
}

// byLength returns all states except the empty one, in order of length.
func (a *automaton) byLength() []int32 {
	most := int32(0)
	for _, n := range a.length {
		most = max(most, n)
	}
	starts := make([]int, most+2)
	for _, n := range a.length {
		starts[n+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	states := make([]int32, len(a.length))
	for state, n := range a.length {
		states[starts[n]] = int32(state)
		starts[n]++
	}
	return states[1:]
}

// step returns the state after a further byte.
func (a *automaton) step(state int32, c byte) int32 {
	for {
		if to, ok := a.longer(state, c); ok || state == 0 {
			return to
		}
		state = a.back[state]
	}
}

// find calls found with the position of each secret in text. At the end of text, the first Shortest
// or more bytes of a secret are enough, since the text may have been truncated there.
func (a *automaton) find(text string, found func(from, to int)) {
	if len(a.length) == 1 {
		return
	}
	state := int32(0)
	for i := range len(text) {
		if state = a.step(state, text[i]); a.whole[state] > 0 {
			found(i+1-int(a.whole[state]), i+1)
		}
	}
	if a.length[state] >= Shortest {
		found(len(text)-int(a.length[state]), len(text))
	}
}
