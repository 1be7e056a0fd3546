package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
)

// session returns the id of the conversation that Claude Code writes into metadata.user_id, in JSON.stringify's form
// {"device_id":"...","account_uuid":"...","session_id":"..."}, or before that as user_..._account_..._session_.... Any other client's
// user_id says nothing of one. It is not inlined for the size of the module.
//
//go:noinline
func session(user ir.Escaped) ir.Escaped {
	const newer, older = `\"session_id\":\"`, `_session_`
	if i := strings.Index(string(user), newer); i >= 0 {
		id := user[i+len(newer):]
		return id[:max(strings.IndexByte(string(id), '\\'), 0)]
	}
	if i := strings.Index(string(user), older); i >= 0 {
		return user[i+len(older):]
	}
	return ""
}
