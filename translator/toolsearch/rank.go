package toolsearch

import (
	"math/bits"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// The parameters of BM25, with their usual values (Robertson and Zaragoza, "The Probabilistic
// Relevance Framework"): how soon more occurrences of a word stop to count, and how much the length
// of the text does.
const (
	saturation = 1.2
	lengths    = 0.75
)

// query is a search by words.
type query struct {
	tools  []ir.Tool
	words  map[string]int // of the query: their indexes in counts
	counts []int          // of words in the text last read
	length int            // of the text last read, in words
	text   []byte
}

// read counts the words in the texts of a tool. The words of its name count twice.
func (q *query) read(t *ir.Tool) {
	clear(q.counts)
	q.length = 0
	q.text = append(jsonw.AppendUnescaped(q.text[:0], t.Name), '\n')
	q.text = appendTexts(q.text, t)
	for w := (reader{text: string(jsonw.View(q.text))}); w.next(); q.length++ {
		if i, ok := q.words[string(jsonw.View(w.word))]; ok {
			q.counts[i]++
		}
	}
}

// A tool with a much lower score than the best one has only words such as "of": each tool found costs
// tokens in all later prompts.
const unlike = 10

// best returns the tools with the highest scores, at most MaxFound, without those that have no word
// of the query. Of equal tools the earlier one is first.
func (q *query) best() (found []int) {
	q.counts = make([]int, len(q.words))
	holders := make([]int, len(q.words)) // how many tools have a word
	total := 0
	for i := range q.tools {
		q.read(&q.tools[i])
		total += q.length
		for k, n := range q.counts {
			if n > 0 {
				holders[k]++
			}
		}
	}
	var scores [MaxFound]float64
	for i := range q.tools {
		q.read(&q.tools[i])
		score := 0.0
		length := float64(q.length) * float64(len(q.tools)) / float64(total) // 1 is the mean
		for k, count := range q.counts {
			if n := float64(count); count > 0 {
				score += rarity(len(q.tools), holders[k]) * n * (saturation + 1) /
					(n + saturation*(1-lengths+lengths*length))
			}
		}
		if score == 0 {
			continue
		}
		at := len(found)
		for at > 0 && scores[at-1] < score {
			at--
		}
		if at == MaxFound {
			continue
		}
		if len(found) < MaxFound {
			found = append(found, 0)
		}
		copy(found[at+1:], found[at:])
		copy(scores[at+1:], scores[at:])
		found[at], scores[at] = i, score
	}
	for n := range found {
		if scores[n] < scores[0]/unlike {
			return found[:n]
		}
	}
	return found
}

// rarity is the weight of a word that some of all tools have: about the logarithm of their ratio. A
// word that most tools have weighs little.
func rarity(all, some int) float64 {
	return max(float64(bits.Len(uint(all/some)))-1, 0.05)
}

// reader splits a text into words: letters and digits, in lower case, without a plural's s. A
// capital after a small letter begins a word, as in getWeather.
type reader struct {
	text string
	at   int
	word []byte
}

// Longer words are cut, in bytes. In the scripts from ideographs on, and in those between, each
// character is a word: their texts have no spaces.
const (
	maxWord    = 64
	ideographs = 0x2e80
)

// next reads the next word into r.word, and reports whether there is one.
func (r *reader) next() bool {
	r.word = r.word[:0]
	for small := false; r.at < len(r.text); {
		c, n := rune(r.text[r.at]), 1
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRuneInString(r.text[r.at:])
		}
		capital := 'A' <= c && c <= 'Z'
		switch {
		case c < utf8.RuneSelf && !isWord(c) || c == '_':
			if r.at += n; len(r.word) > 0 {
				return r.singular()
			}
			continue
		case len(r.word) > 0 && (capital && small || c >= ideographs):
			return r.singular()
		}
		if r.at += n; len(r.word) < maxWord {
			r.word = utf8.AppendRune(r.word, lower(c))
		}
		if small = !capital; c >= ideographs {
			return true
		}
	}
	return len(r.word) > 0 && r.singular()
}

// singular cuts the s at the end of a word, and returns true.
func (r *reader) singular() bool {
	if n := len(r.word); n > 3 && r.word[n-1] == 's' && r.word[n-2] != 's' {
		r.word = r.word[:n-1]
	}
	return true
}

func lower(c rune) rune {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
