package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// thinking reads a member with which clients of servers other than OpenAI's ask for reasoning, or
// turn reasoning off. It returns false for any other member. It knows:
//
//	"thinking": {"type":"enabled","budget_tokens":1024}   DeepSeek, Z.ai, Moonshot, LiteLLM
//	"enable_thinking": false                              Alibaba's Model Studio
//	"chat_template_kwargs": {"enable_thinking":false}     vLLM, SGLang
//	"chat_template_kwargs": {"thinking":false}            the same, templates of DeepSeek and Kimi
//	"reasoning": {"effort":"high","exclude":true}         OpenRouter ("Reasoning Tokens",
//	                                                      "Controlling reasoning tokens")
//	"include_reasoning": false                            OpenRouter's older name of reasoning.exclude
func (d *requestDecoder) thinking(r *jsonr.Reader, key string) (known bool, err *ir.Error) {
	switch key {
	case "enable_thinking":
		err = d.flag(r, key)
	case "include_reasoning":
		var include bool
		include, err = openai.ReadFlag(r, key)
		d.request.HideThoughts = !include
		d.shows(key)
	case "thinking", "chat_template_kwargs", "reasoning":
		if r.Kind() != jsonr.Object {
			return true, openai.WrongType(key, "an object", r.Kind())
		}
		for r.OpenObject(); err == nil && r.Member(); {
			if r.Kind() != jsonr.Null {
				err = d.thinkingMember(r, key)
			}
		}
	default:
		return false, nil
	}
	return true, err
}

// thinkingMember reads the member at r, of the request's member named object.
//
//go:noinline
func (d *requestDecoder) thinkingMember(r *jsonr.Reader, object string) (err *ir.Error) {
	q := d.request
	path := object + "." + r.Key()
	switch path {
	case "thinking.type":
		var kind ir.Escaped
		kind, err = openai.ReadText(r, path)
		switch kind {
		case "disabled":
			d.off = object
		case "enabled", "adaptive", "auto":
			q.Adaptive = true
		default:
			d.lost.Add(path)
		}
	case "thinking.budget_tokens", "reasoning.max_tokens":
		if q.Budget, err = openai.ReadPositive(r, path); q.Effort == "" {
			q.Effort, q.EffortPath = ir.BudgetEffort(q.Budget), path
		}
	case "chat_template_kwargs.enable_thinking", "chat_template_kwargs.thinking", "reasoning.enabled":
		err = d.flag(r, path)
	case "reasoning.effort":
		q.EffortPath = path
		q.Effort, err = openai.ReadText(r, path)
	case "reasoning.exclude":
		q.HideThoughts, err = openai.ReadFlag(r, path)
		d.shows(path)
	case "reasoning.summary":
		q.ReasoningSummary, err = openai.ReadText(r, path)
	default:
		d.lost.AddMember(object, r)
	}
	return err
}

// shows notes at path that the client asks to see the reasoning, unless the client hides it.
func (d *requestDecoder) shows(path string) {
	if q := d.request; !q.HideThoughts {
		d.shown = path
	}
}

// flag reads the flag at path, which turns thinking on or off.
func (d *requestDecoder) flag(r *jsonr.Reader, path string) *ir.Error {
	on, err := openai.ReadFlag(r, path)
	if on {
		d.request.Adaptive = true
	} else {
		d.off = path
	}
	return err
}

// settleEffort sets the effort to none if thinking is turned off. Any other effort, or a budget,
// beside the switch is lost. A client that asks to see the reasoning, without saying how, gets a
// summary from a vendor that shows nothing else.
func (d *requestDecoder) settleEffort() {
	q := d.request
	if d.off != "" {
		if q.Effort != "" && q.Effort != "none" {
			d.lost.Add(q.EffortPath)
		}
		q.Effort, q.EffortPath, q.Budget, q.Adaptive = "none", d.off, 0, false
	}
	if d.shown != "" && !q.HideThoughts && q.ReasoningSummary == "" && q.Effort != "none" {
		q.ReasoningSummary, q.ReasoningSummaryPath = "auto", d.shown
	}
}
