package google

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Config writes the members of generationConfig, as generateContent calls it. Lead stands in front of the next one: at first the object's key and bracket.
type Config struct{ Lead string }

// Set begins a member. key has quotes and a colon, and may have the value.
func (c *Config) Set(w *ir.Writer, key string) {
	w.Next(&c.Lead)
	w.Raw(key)
}

// Number writes a member, unless the client has not sent it.
func (c *Config) Number(w *ir.Writer, key string, value ir.Raw) {
	if value != "" {
		c.Set(w, key)
		w.Raw(string(value))
	}
}

// End ends the object, if it has a member.
func (c *Config) End(w *ir.Writer) {
	if c.Lead == `,` {
		w.Raw(`}`)
	}
}

// LimitKeys are the keys of members that the APIs spell differently; TopK is "" where there is none.
type LimitKeys struct{ MaxTokens, TopP, TopK, Stop string }

// Limits writes how long the answer may be, the parameters of sampling, and the stop sequences. Of more sequences than the API takes it is told
// none: package translator then watches the answer for them and cuts it.
func (c *Config) Limits(w *ir.Writer, keys *LimitKeys) {
	r := w.Request
	if n := r.MaxTokens; n > 0 {
		if most := w.Target.MaxOutputTokens; most > 0 {
			n = min(n, most)
		}
		c.Set(w, keys.MaxTokens)
		w.Dst = strconv.AppendInt(w.Dst, n, 10)
	}
	c.sample(w, `"temperature":`, r.Temperature, ir.FieldTemperature)
	c.sample(w, keys.TopP, r.TopP, ir.FieldTopP)
	c.sample(w, keys.TopK, r.TopK, ir.FieldTopK)
	if fitsSeed(r.Seed) {
		c.Number(w, `"seed":`, r.Seed)
	} else {
		w.LoseSeed()
	}
	if len(r.Stop) == 0 || !w.Target.TakesStops(len(r.Stop)) {
		return
	}
	c.Set(w, keys.Stop)
	separator := `[`
	for _, s := range r.Stop {
		w.Next(&separator)
		w.Literal(s)
	}
	w.Raw(`]`)
}

// sample writes a parameter of sampling, unless the API has none by that key, or the model takes none. A temperature or top_p of 1 is then no loss.
func (c *Config) sample(w *ir.Writer, key string, value ir.Raw, f ir.Field) {
	switch {
	case value == "":
	case key != "" && !w.Target.NoSampling:
		c.Number(w, key, value)
	case f == ir.FieldTopK || value != "1" && value != "1.0":
		w.Lose(f)
	}
}

// fitsSeed reports whether Google can be given a seed, an int32 there ("GenerationConfig").
func fitsSeed(seed ir.Raw) bool {
	n, ok := jsonr.Int(seed)
	return !ok || n == int64(int32(n))
}
