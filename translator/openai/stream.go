package openai

// KeepAlive is a comment that keeps the connection open. It may be sent between two events of a
// stream. No blank line follows it: the line would end an empty event, and openai-go before 3.43
// treats an empty event as broken (FAULTS 44).
const KeepAlive = ": keep-alive\n"
