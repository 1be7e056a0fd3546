package openai

// KeepAlive is what may be sent between two events of a stream to keep the connection open: a
// comment. It has no blank line behind it, since openai-go before 3.43 takes the empty event that
// such a line would end for a broken one (FAULTS 44).
const KeepAlive = ": keep-alive\n"
