package ir

// SystemPrompt splits a history after its initial system messages. Both results share the memory of
// list.
func SystemPrompt(list []Message) (prompt, history []Message) {
	n := 0
	for n < len(list) && list[n].Role == System {
		n++
	}
	return list[:n], list[n:]
}

// NextSpeaker splits a history at its first change of speaker. There are two speakers, the
// assistant and everyone else: messages of users and the system have the same speaker. list must
// not be empty; said is not empty. Both results share the memory of list.
func NextSpeaker(list []Message) (said, rest []Message) {
	assistant := list[0].Role == Assistant
	n := 1
	for n < len(list) && (list[n].Role == Assistant) == assistant {
		n++
	}
	return list[:n], list[n:]
}
