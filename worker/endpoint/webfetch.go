package endpoint

import "github.com/tidwall/gjson"

func readWebFetch(e *Endpoint, v gjson.Result) (at, must string) {
	const whole = `an object as {"max_uses":5}`
	if e.MaxFetches = usualUses; !v.IsObject() {
		return "", whole
	}
	v.ForEach(func(key, v gjson.Result) bool {
		if at = "." + key.Str; key.Str == "max_uses" {
			e.MaxFetches, must = readUses(v)
		} else {
			must = "left out: there is max_uses"
		}
		return must == ""
	})
	return at, must
}
