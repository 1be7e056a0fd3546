//go:build js && wasm

package bridge

// reported answers the export report; nil: there is nothing to tell.
var reported Reporter

func (Host) Report(r Reporter) { reported = r }

//export report
func report() int32 {
	if reported == nil {
		return 0
	}
	output = reported.AppendReport(nil)
	return int32(len(output))
}
