package interactions

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// Model writes the steps of a turn of the model.
func (w *requestWriter) Model(run []ir.Message) *ir.Error {
	w.signed = false
	for m := range run {
		for i := range run[m].Content {
			c := &run[m].Content[i]
			switch {
			case c.Kind.IsReasoning():
				w.reasoning(c)
			case c.Kind.IsCall():
				w.call(c)
			default:
				if _, err := w.Block(google.Model, c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
