package chat

import "edgelingua/translator/ir"

// messages writes the history. Chat Completions requires the results of a turn's calls as separate
// messages directly after the turn, so messages collects them wherever the client has put them
// (FAULTS 53, 54).
//
// OpenAI's own service accepts system messages anywhere. vLLM, llama.cpp and LM Studio turn all
// messages into one text by the model's template, and many templates reject unusual orders: Qwen's
// since 3.5 with "System message must be at the beginning." (vllm-project/vllm#41114,
// QwenLM/Qwen3.8#244), Mistral's and Gemma's with "Conversation roles must alternate
// user/assistant/..." (FAULTS 82). For these servers the system messages at the beginning become
// one message. All messages between two assistant turns become one user message, with system
// messages as reminders.
func (w *requestWriter) messages() *ir.Error {
	list := w.Request.Messages
	w.anywhere = w.Target.OpenAI || w.Target.SystemTurns
	if !w.anywhere {
		var system []ir.Message
		if system, list = ir.SystemPrompt(list); len(system) > 0 {
			if err := w.turn(system, ir.System); err != nil {
				return err
			}
			w.place(w.turnEnd)
			w.turnEnd = 0
		}
	}
	for len(list) > 0 {
		var err *ir.Error
		run, rest := ir.NextSpeaker(list)
		switch role := run[0].Role; {
		case role == ir.Assistant:
			if err = w.assistant(run); err == nil && len(rest) == 0 {
				err = w.turn(nil, ir.User) // the images and files of the results, if any
			}
		case w.anywhere:
			rest = list[1:]
			err = w.turn(list[:1], role)
		default:
			err = w.turn(run, ir.User)
		}
		if err != nil {
			return err
		}
		list = rest
	}
	if w.last == "assistant" && w.Target.Prefill == ir.PrefixPrefill && !w.prefix {
		w.open("user") // Mistral refuses the assistant's message at the end
		w.Raw(`,"content":"` + nothing + `"}`)
	}
	return nil
}

// bridge writes the assistant's message between the results of tools and the user's next message, for an
// upstream that refuses a user message there. Mistral's own client sends the same words
// (mistralai/mistral-vibe, agent_loop.py). It is also the message of an assistant that said nothing,
// such as a turn with nothing but reasoning, between two messages of the user.
//
//go:noinline
func (w *requestWriter) bridge() {
	w.open("assistant")
	w.Raw(`,"content":"Understood."`)
	if w.Target.ReasoningEcho == ir.EchoContent {
		w.Raw(`,"reasoning_content":"` + missing + `"`)
	}
	w.Raw(`}`)
}

// nothing is the text of a user's message without content that the upstream accepts, such as a single
// image of another type, between two messages of the assistant. It also replaces an empty text.
const nothing = `(no text)`

// open begins a message up to its role. The caller writes the other members, each after a comma,
// and the closing brace.
func (w *requestWriter) open(role string) {
	if w.begun {
		w.Raw(`,`)
	}
	w.begun, w.last = true, role
	w.Raw(`{"role":"`)
	w.Raw(role)
	w.Raw(`"`)
}

// turn writes a run of user and system messages as one message of a role. A user message begins
// with the images and files that tools have returned. A run of tool results only becomes no
// message.
func (w *requestWriter) turn(run []ir.Message, role ir.Role) *ir.Error {
	if role == ir.System && len(w.shown) > 0 {
		if err := w.turn(nil, ir.User); err != nil { // only the user's messages carry images and files
			return err
		}
	}
	content, err := w.gathered(run, role)
	if err != nil {
		return err
	}
	attached := w.holds(content, role, attachment) || len(w.shown) > 0
	if !attached && !w.holds(content, role, textual) {
		return nil
	}
	if role == ir.User {
		if w.last == "tool" && w.Target.AssistantAfterTool || w.last == "user" && !w.anywhere {
			w.bridge()
		}
		w.open("user")
	} else {
		w.open("system")
	}
	if attached || w.acceptsBreakpoints() {
		w.Raw(`,"content":[`)
		w.parts(content, role, "", w.shownParts())
		w.turnEnd = len(w.Dst) - 1
		w.Raw(`]}`)
		return nil
	}
	w.Raw(`,"content":`)
	w.textLiteral(content, role, true)
	w.Raw(`}`)
	return nil
}

// textLiteral writes the text of a message as a JSON string. If onlyText is true, the message has no
// other content, and an empty text is replaced for upstreams that reject it.
func (w *requestWriter) textLiteral(content []ir.Content, role ir.Role, onlyText bool) {
	w.Raw(`"`)
	if start := len(w.Dst); w.text(content, role) && onlyText && w.Target.NoEmptyText && len(w.Dst) == start {
		w.Raw(nothing)
	}
	w.Raw(`"`)
}

// assistant writes one message for a run of assistant messages, and then the results of its calls.
//
//go:noinline
func (w *requestWriter) assistant(run []ir.Message) *ir.Error {
	content, err := w.gathered(run, ir.Assistant)
	if err != nil {
		return err
	}
	text, calls := w.holds(content, ir.Assistant, textual), w.holds(content, ir.Assistant, calling)
	if calls && w.Target.LegacyFunctions {
		return w.functionCalls(content, text)
	}
	w.endTurn()
	if !text && !calls {
		w.loseReasoning(content)
		return nil
	}
	if w.last == "assistant" && !w.anywhere {
		w.open("user")
		w.Raw(`,"content":"` + nothing + `"}`)
	}
	w.open("assistant")
	w.Raw(`,"content":`)
	switch {
	case text:
		w.textLiteral(content, ir.Assistant, !calls)
	case w.Target.TextContent:
		w.Raw(`""`)
	default:
		w.Raw(`null`)
	}
	w.reasoning(content)
	if calls {
		w.calls(content)
	}
	if list := w.Request.Messages; w.prefix && !calls && &run[len(run)-1] == &list[len(list)-1] {
		w.Raw(`,"prefix":true`)
	}
	w.messageBreakpoint(content)
	w.Raw(`}`)
	return w.toolMessages(content)
}

// gathered returns the blocks of a run of messages as the blocks of one message of a role. Text of
// another role, such as system text in a user message, is put between <system-reminder> tags, as
// Claude Code does.
func (w *requestWriter) gathered(run []ir.Message, role ir.Role) ([]ir.Content, *ir.Error) {
	n := 0
	for i := range run {
		if err := w.checkContent(run[i].Content, run[i].Role); err != nil {
			return nil, err
		}
		n += len(run[i].Content)
	}
	if len(run) == 1 && run[0].Role == role {
		return run[0].Content, nil
	}
	return w.joined(run, role, n), nil
}

// joined does the work of gathered for several messages or another role. n is the number of their
// blocks.
//
//go:noinline
func (w *requestWriter) joined(run []ir.Message, role ir.Role, n int) []ir.Content {
	content := make([]ir.Content, 0, n)
	for i := range run {
		for _, c := range run[i].Content {
			if run[i].Role != role {
				if w.form(&c, run[i].Role) != textual {
					continue
				}
				c.Text = "<system-reminder>\\n" + c.Text + "\\n</system-reminder>"
			}
			content = append(content, c)
		}
	}
	return content
}
