package serve

import (
	"net/http"
	"strings"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/worker/endpoint"
)

// sessionHeaders are the headers with a client's id of the conversation, the most specific first:
// Claude Code 2.1; Codex 0.169; Codex before 0.150 and pi; opencode 1.18, whose second header has
// the same value.
var sessionHeaders = [...]string{"x-claude-code-session-id", "session-id", "session_id", "x-session-id",
	"x-session-affinity"}

// agentHeaders are the headers with the id of an agent in a conversation: Claude Code from 2.1.139
// names its sub-agents; each thread of Codex 0.169 is an agent, and the first thread has the
// session's id.
var agentHeaders = [...]string{"x-claude-code-agent-id", "thread-id"}

const (
	maxProgram   = 40  // bytes of the name of a client program
	maxSessionID = 512 // bytes of a client's id of a session or agent
	shownHash    = 16  // characters of the hash of an id, 96 bits
)

// noteClient notes the client program, the session and the agent of a request for the request log.
// Ids may name a person, so only their hashes are noted. body is the client's body.
//
//go:noinline
func (h *record) noteClient(r *http.Request, e *endpoint.Endpoint, body []byte) {
	q := h.account.request
	q.Client = program(r.Header.Get("user-agent"))
	session := firstHeader(r, sessionHeaders[:])
	if session == "" {
		session = sessionInBody(string(jsonw.View(body)))
	}
	if session == "" {
		return
	}
	q.Session = h.hashedID(e, session)
	if agent := firstHeader(r, agentHeaders[:]); agent != "" && agent != session {
		q.Agent = h.hashedID(e, agent)
	}
}

func firstHeader(r *http.Request, names []string) string {
	for _, name := range names {
		if id := r.Header.Get(name); id != "" {
			return id[:min(len(id), maxSessionID)]
		}
	}
	return ""
}

// sessionInBody returns the id of the conversation in a body: prompt_cache_key of Codex and other
// clients of OpenAI, and metadata.user_id of Claude Code, which contains the session's id. Other
// clients' user_id is a person.
func sessionInBody(body string) string {
	id := jsonr.LastText(body, "prompt_cache_key")
	if id == "" {
		metadata, _, _ := jsonr.LastMember(body, "metadata")
		if id = jsonr.LastText(string(metadata), "user_id"); !strings.Contains(id, "session") {
			return ""
		}
	}
	return id[:min(len(id), maxSessionID)]
}

// hashedID returns a hash of an id that only this deployment can compute: a deployment with a request
// log has ADMIN_KEY or CLIENT_KEY, and the module does not see SEAL_KEY. Equal ids have different
// hashes at two endpoints, and after a change of the key.
func (h *record) hashedID(e *endpoint.Endpoint, id string) string {
	key, ok := h.host.Setting("ADMIN_KEY")
	if !ok {
		key, _ = h.host.Setting("CLIENT_KEY")
	}
	hash, _ := h.host.Digest("edgelingua session id\x00" + key + "\x00" + e.Name + "/" + e.ID + "\x00" + id)
	return hash[:min(len(hash), shownHash)]
}

// program returns the name of the program in a user-agent, without version and comments: "" unless it
// is a name.
func program(agent string) string {
	end := strings.IndexAny(agent, "/ (")
	if end < 0 {
		end = len(agent)
	}
	name := agent[:min(end, maxProgram)]
	for i := 0; i < len(name); i++ {
		if c := name[i]; !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' ||
			c == '.' || c == '@') {
			return ""
		}
	}
	return strings.Clone(shown(name))
}
