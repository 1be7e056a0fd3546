// Package prices knows what models cost, for hosts of the module: what a request pays for has no
// part of the table.
//
// table.json is made from the npm package @pydantic/genai-prices by generate.mjs, which says how.
// worker/workerd/prices.mjs reads it as Find does; testdata/cases.json holds both to the same.
package prices

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed table.json
var file []byte

// table is table.json.
type table struct {
	Source, Date string
	Providers    []struct {
		URL    string
		Models []struct {
			Match []string
			// rows of a day, and of the numbers in the order of usage.Price; null: it is not known
			Prices [][]any
		}
	}
}

// provider is one of the table's, ready for Find.
type provider struct {
	url    *regexp.Regexp
	models func() *models
}

// models are those of a provider. Of several that fit a name the first one counts.
type models struct {
	names    map[string]int // exact names, to the index in rows
	patterns []pattern
	rows     [][][]any
}

type pattern struct {
	match *regexp.Regexp
	index int
}

var providers = sync.OnceValue(func() (all []provider) {
	var t table
	if err := json.Unmarshal(file, &t); err != nil {
		panic(err) // the tests read it
	}
	for _, p := range t.Providers {
		all = append(all, provider{regexp.MustCompile(p.URL), sync.OnceValue(func() *models {
			m := &models{names: map[string]int{}}
			for i, model := range p.Models {
				m.rows = append(m.rows, model.Prices)
				for _, match := range model.Match {
					name, exact := strings.CutPrefix(match, "=")
					if !exact {
						m.patterns = append(m.patterns, pattern{regexp.MustCompile(match), i})
					} else if _, there := m.names[name]; !there {
						m.names[name] = i
					}
				}
			}
			return m
		})})
	}
	return all
})

// Find returns what a model costs at a time that is asked for at a URL, in the form that
// usage.ReadPrices reads; "" where that is not known.
func Find(url, model string, at time.Time) string {
	for _, p := range providers() {
		if !p.url.MatchString(url) {
			continue
		}
		m := p.models()
		index, found := m.names[model]
		if !found {
			index = len(m.rows)
		}
		for _, pattern := range m.patterns {
			if pattern.index < index && pattern.match.MatchString(model) {
				index = pattern.index
			}
		}
		if index < len(m.rows) {
			return lines(m.rows[index], at.UTC().Format(time.DateOnly))
		}
	}
	return ""
}

// lines returns the rows that hold on a day: those of the latest day that is not behind it.
func lines(rows [][]any, today string) string {
	day := ""
	for _, row := range rows {
		if from := row[0].(string); from <= today {
			day = max(day, from)
		}
	}
	var text strings.Builder
	for _, row := range rows {
		if row[0] != day {
			continue
		}
		for i, n := range row[1:] {
			if i > 0 {
				text.WriteByte(' ')
			}
			if n, known := n.(float64); known {
				text.WriteString(strconv.FormatFloat(n, 'f', -1, 64))
			} else {
				text.WriteString("-1")
			}
		}
		text.WriteByte('\n')
	}
	return text.String()
}
