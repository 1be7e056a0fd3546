// Package prices has the prices of models, for hosts of the module. The module has no price table,
// because a larger module would cost every request.
//
// generate.mjs makes table.json from the npm package @pydantic/genai-prices and from newer.json.
// worker/workerd/prices.mjs implements the same lookup as Find; testdata/cases.json tests both.
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
	// The table has 1,500 models and 150 KB, too much for the memory of each instance of the
	// module. So the module asks for a single price while waiting for the upstream, and computes
	// the cost: only the module knows about cached tokens and estimates.
	Source, Date string
	Providers    []struct {
		URL    string
		Models []struct {
			Match []string
			// rows of a day and prices, in the order of usage.Price; null: unknown
			Prices [][]any
		}
	}
}

// provider is a provider of the table, ready for Find.
type provider struct {
	url    *regexp.Regexp
	models func() *models
}

// models has the models of a provider. If several match a name, the first in the table counts.
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
		panic(err) // impossible: the tests parse the file
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

// Find returns the price of a model requested at a URL at a time, in the form that usage.ReadPrices
// reads. If the price is unknown, Find returns "". For the model "" Find returns the price of any
// model at the URL, "" if the table has none.
func Find(url, model string, at time.Time) string {
	for _, name := range namesOf(url, model) {
		if rows := find(url, name); rows != nil {
			return lines(rows, at.UTC().Format(time.DateOnly))
		}
	}
	return ""
}

// find returns the rows of a model, or nil.
func find(url, model string) [][]any {
	for _, p := range providers() {
		if !p.url.MatchString(url) {
			continue
		}
		m := p.models()
		if model == "" {
			return m.rows[0]
		}
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
			return m.rows[index]
		}
	}
	return nil
}

// lines returns the rows valid on a day: the rows of the latest day that has already begun.
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
