package responses

import (
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// response takes a Response object: of the event with a name, or with the name "" a plain body. The
// status decides how the answer has ended. Where the name says so and the status does not, because
// it is missing or still in_progress, the name decides; no server is known by name that leaves the
// status so.
func (d *decoder) response(name ir.Escaped, v ir.Raw) {
	var id, model, created, status, reason, fault, output, usage ir.Raw
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "id":
			id = r.Value()
		case "model":
			model = r.Value()
		case "created_at":
			created = r.Value()
		case "status":
			status = r.Value()
		case "incomplete_details":
			for r.OpenObject(); r.Member(); {
				if r.Key() == "reason" {
					reason = r.Value()
				}
			}
		case "error":
			fault = r.Value()
		case "output":
			output = r.Value()
		case "usage":
			usage = r.Value()
		case "service_tier":
			tier, _ := jsonr.Text(r.Value())
			d.out.SetTier(ir.TierOf(tier))
		}
	}
	state, _ := jsonr.Text(status)
	switch name {
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		if state == "" || state == "in_progress" || state == "queued" {
			state = name[len("response."):]
		}
	case "":
		if state == "" {
			state = "completed"
		}
	default: // response.created, response.in_progress, response.queued
		if state != "failed" {
			d.begin(id, model, created)
			return
		}
	}
	why, _ := jsonr.Text(reason)
	switch state {
	case "failed", "cancelled":
		d.failed(state, fault)
	case "completed", "incomplete":
		if d.said != nil || !jsonr.IsNothing(fault) {
			d.failed(state, fault)
			return
		}
		d.begin(id, model, created)
		d.output(output)
		d.out.Finish(d.stopReason(state, why), "", readUsage(usage))
	default:
		d.out.Fail(failure.Unreadable("its status is " + string(state)))
	}
}

// begin yields Start, once.
func (d *decoder) begin(id, model, created ir.Raw) {
	if !d.out.Started() {
		name, _ := jsonr.Text(id)
		of, _ := jsonr.Text(model)
		d.id = append(d.id, name...)
		d.out.Start(name, of, max(jsonr.Count(created), 0), ir.NoUsage)
	}
}

// error takes an error event. One without a code is kept until response.failed comes, which may
// have a code (FAULTS 39).
func (d *decoder) error(data string) {
	e := failure.DecodeEvent(data)
	if e.Code != "" {
		d.out.Fail(e)
		return
	}
	said := *e
	said.Message = strings.Clone(e.Message)
	d.said = &said
}

// Doubts reports whether an error event has come, and what comes next decides how the answer fails.
func (d *decoder) Doubts() bool { return d.said != nil }

// failed ends an answer with the status failed or cancelled. fault is the error of the Response object.
func (d *decoder) failed(state ir.Escaped, fault ir.Raw) {
	e := failure.DecodeEvent(string(fault))
	switch {
	case !jsonr.IsNothing(fault):
	case d.said != nil:
		e = d.said
	case state == "cancelled":
		e.Message = "The upstream has cancelled the answer."
	}
	d.out.Fail(e)
}
