package archive

import "edgelingua/worker/bridge"

// Unfinished returns the id under which a response that is made in the background is stored until it
// is complete: as a failed response, for readers after a restart of the host. No client's id has this
// form, so no conversation contains an unfinished response.
func Unfinished(id string) string { return "unfinished " + id }

// Fail returns the statements that replace the JSON of an unfinished response. The JSON, at most
// 1 MB, is an argument that is missing at the end. They fail if most, the limit of Response, leaves no
// room for the JSON, or in a database without responses, and do nothing if the unfinished response is
// deleted.
func Fail(id string, most int64) *bridge.Statements {
	id = Unfinished(id)
	s := new(bridge.Statements).SQL(`DELETE FROM response_parts WHERE id = ?`).String(id)
	s.SQL(`INSERT INTO response_parts (id, kind, part, data) SELECT CASE WHEN bytes + length(?3) <= ?2 ` +
		`THEN id END, 1, 0, ?3 FROM responses, responses_total WHERE id = ?1`)
	return s.String(id).Number(float64(most))
}
