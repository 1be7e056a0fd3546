package prices

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFind checks Find with the cases that also test worker/workerd/prices.mjs.
func TestFind(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.json")
	require.NoError(t, err)
	var cases []struct {
		URL, Model, Day, Prices string
		Known                   bool
	}
	require.NoError(t, json.Unmarshal(text, &cases))
	for _, c := range cases {
		day, err := time.Parse(time.DateOnly, c.Day)
		require.NoError(t, err)
		found := Find(c.URL, c.Model, day)
		if c.Known {
			assert.NotEmpty(t, found, c.Model)
			continue
		}
		assert.Equal(t, c.Prices, found, c.URL+" "+c.Model)
	}
}

// TestTable checks that no price is negative, and that the rows are sorted.
func TestTable(t *testing.T) {
	var all table
	require.NoError(t, json.Unmarshal(file, &all))
	assert.Regexp(t, `^@pydantic/genai-prices \d`, all.Source)
	assert.Regexp(t, `^20\d\d-\d\d-\d\d$`, all.Date)
	models := 0
	for _, p := range all.Providers {
		for _, m := range p.Models {
			models++
			last := []any{"", -2.0}
			for _, row := range m.Prices {
				require.Len(t, row, 7)
				assert.True(t, row[0].(string) > last[0].(string) ||
					row[0] == last[0] && row[1].(float64) > last[1].(float64), m.Match)
				for _, n := range row[2:] {
					if n != nil {
						assert.GreaterOrEqual(t, n.(float64), 0.0, m.Match)
					}
				}
				last = row
			}
		}
	}
	assert.Greater(t, models, 1000)
}
