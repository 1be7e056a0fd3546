package responses

import (
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// response reads a Response object. name is the event's name, or "" for a plain body. The status
// decides how the answer ended. If the status is missing or still in_progress (or queued) in a
// final event, the name decides. No known server sends such a status. 9router and oh-my-pi
// met streams that end with response.done, whatever the status (decolua/9router#2142,
// can1357/oh-my-pi#4692).
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
		// what OpenAI has left out of the request, as reasoning, and which programs the account is in
		case "input_transformations", "access_programs":
			d.lost.AddMember("", &r)
		case "tool_usage":
			if !d.own {
				d.lost.AddCounts("", &r)
				continue
			}
			d.out.Own(true, "", &r, d.lost)
		case "service_tier":
			tier, _ := jsonr.Text(r.Value())
			d.out.SetTier(ir.TierOf(tier))
		default:
			d.out.Own(d.own, writtenMembers, &r, d.lost)
		}
	}
	state, _ := jsonr.Text(status)
	switch name {
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled",
		"response.done":
		if state == "" || state == "in_progress" || state == "queued" {
			if state = name[len("response."):]; state == "done" {
				state = "completed"
			}
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
		if d.lastError != nil || !jsonr.IsNothing(fault) {
			d.failed(state, fault)
			return
		}
		d.begin(id, model, created)
		d.output(output)
		d.loseSearch()
		if d.own {
			d.out.OwnUsage(usage, d.lost)
		}
		d.out.Finish(d.stopReason(state, why), "", readUsage(usage))
	default:
		d.out.Fail(failure.Unreadable("its status is " + string(state)))
	}
}

// begin emits Start, once.
func (d *decoder) begin(id, model, created ir.Raw) {
	if !d.out.Started() {
		name, _ := jsonr.Text(id)
		of, _ := jsonr.Text(model)
		d.id = append(d.id, name...)
		d.out.Start(name, of, max(jsonr.Count(created), 0), ir.NoUsage)
	}
}

// error handles an error event. An error without a code waits for response.failed, which may have a
// code (FAULTS 39).
func (d *decoder) error(data string) {
	e := failure.DecodeEvent(data)
	if e.Code != "" {
		d.out.Fail(e)
		return
	}
	said := *e
	said.Message = strings.Clone(e.Message)
	d.lastError = &said
}

// Doubts reports whether an error event is pending: the next event decides how the answer fails.
func (d *decoder) Doubts() bool { return d.lastError != nil }

// failed ends an answer with the status failed or cancelled. fault is the Response object's error.
func (d *decoder) failed(state ir.Escaped, fault ir.Raw) {
	e := failure.DecodeEvent(string(fault))
	switch {
	case !jsonr.IsNothing(fault):
	case d.lastError != nil:
		e = d.lastError
	case state == "cancelled":
		e.Message = "The upstream cancelled the answer."
	}
	d.out.Fail(e)
}

// writtenMembers has the other members of a response that answer_append_finish.go writes.
const writtenMembers = " object completed_at required_action background previous_response_id store" +
	" output_text frequency_penalty instructions max_output_tokens max_tool_calls metadata" +
	" parallel_tool_calls presence_penalty prompt_cache_key reasoning safety_identifier temperature text" +
	" tool_choice tools" +
	" top_logprobs top_p truncation user "
