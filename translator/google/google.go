// Package google is what Google's two APIs have in common, generateContent and Interactions: the models, names of functions, files, errors and the
// list of models.
package google

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// FitsSeed reports whether Google can be given a seed, an int32 there ("GenerationConfig").
func FitsSeed(seed ir.Raw) bool {
	n, ok := jsonr.Int(seed)
	return !ok || n == int64(int32(n))
}
