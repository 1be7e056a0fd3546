package gemini

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// Model writes a turn of the model.
func (w *requestWriter) Model(run []ir.Message) *ir.Error {
	s := reply{signed: w.isSigned(run)}
	for m := range run {
		for i := range run[m].Content {
			c := &run[m].Content[i]
			switch {
			case c.Kind.IsReasoning():
				w.reasoning(&s, c)
			case c.Kind.IsCall():
				w.call(&s, c)
			default:
				said, err := w.Block(google.Model, c)
				if err != nil {
					return err
				}
				if s.said = s.said || said; said {
					w.signTexts(&s)
				}
			}
		}
	}
	w.endStep(&s)
	return nil
}
