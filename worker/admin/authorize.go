package admin

import (
	"crypto/subtle"
	"net/http"
	"strconv"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/session"
)

// signed is what a request says of its session.
type signed struct {
	holder  string // whose sessions the path is about
	origin  string // of the page that sent the request; "": no page of this deployment did
	token   string // of the session; "": the request has none, or presents a key, which goes before it
	id      string // of the session, once resume has looked for it
	expires int64  // when the session ends, in Unix seconds; 0 where resume has found none
}

// run answers the request, or says why it is refused. key is the one that the client presents.
func (m *managed) run(key string) (status int, out []byte, err *Error) {
	if session.Foreign(m.r.URL, m.r.Header) {
		return 0, nil, Refuse(http.StatusForbidden, "Requests from pages of other sites are refused.")
	}
	var served bool
	m.Call, served = Find(m.r.Method, m.r.URL.Path)
	m.readSession(key)
	if served && key == "" {
		switch {
		case m.Operation == ReadSession && m.token == "":
			return http.StatusOK, m.session(), nil
		case m.Operation == EndSession && m.token != "":
			return m.signOut()
		}
	}
	if IsAdmin(m.r.URL.Path) {
		if err := m.authorizeAdmin(key); err != nil {
			return 0, nil, err
		}
	}
	switch {
	case served:
	case m.Allow == "":
		return 0, nil, Refuse(http.StatusNotFound, "There is nothing at "+m.r.URL.Path+".")
	default:
		m.h.Set("allow", m.Allow)
		return 0, nil, Refuse(http.StatusMethodNotAllowed, m.r.URL.Path+" takes "+m.Allow+", not "+m.r.Method+
			".")
	}
	switch {
	case m.Operation == DeploymentRead || m.Operation == DeploymentUsage:
		return m.serveDeployment(key)
	case !IsAdmin(m.r.URL.Path):
		return m.serveOwner(key)
	case m.IsSession():
		return m.serveSession(key, "")
	}
	return m.serveAdmin()
}

// readSession reads of which session the request is. The cookie counts only where the page has sent
// the request, and where no key came.
func (m *managed) readSession(key string) {
	m.holder = session.Admin
	if !IsAdmin(m.r.URL.Path) {
		m.holder = session.Owner(m.Name)
	}
	m.origin = session.Origin(m.r.Method, m.r.URL, m.r.Header)
	if key == "" && m.origin != "" {
		m.token = session.Token(m.r.Header.Get("cookie"), m.holder, m.origin)
	}
}

// authorizeAdmin returns the error for a client without a session of the operator's that presented
// another key than ADMIN_KEY.
func (m *managed) authorizeAdmin(key string) *Error {
	want, refused := endpoint.AdminKey(m.host.Setting)
	switch {
	case refused != "":
		return Refuse(http.StatusForbidden, refused)
	case m.token != "":
		_, err := m.resume()
		return err
	case key != "":
		wrong := subtle.ConstantTimeCompare([]byte(want), []byte(key)) != 1
		if err := m.attempt(wrong); err != nil || !wrong {
			return err
		}
	case m.origin != "":
		return ended()
	}
	return Refuse(http.StatusUnauthorized,
		"No key, or a wrong one. Send ADMIN_KEY as `Authorization: Bearer KEY`, or as the header "+
			"`x-api-key`.")
}

// attempt notes that somebody has presented a key, and returns the error where too many wrong ones
// came: then nobody learns whether this one is wrong. A deployment without ENDPOINT_STATE does not
// count.
func (m *managed) attempt(wrong bool) *Error {
	rows, failed := m.host.Batch(session.Object, session.Attempt(m.address(), wrong, m.clock()))
	switch {
	case failed == nil:
		return m.wait(session.Attempted(rows), "Too many wrong keys have come.")
	case bridge.Unbound(failed):
		return nil
	}
	return broken(failed)
}

// ownerHash returns the hash of the key that the owner presents, or with which the owner's session
// was opened.
func (m *managed) ownerHash(key string) (hash string, err *Error) {
	switch {
	case m.token != "":
		return m.resume()
	case key != "":
	case m.origin != "":
		return "", ended()
	default:
		return "", Refuse(http.StatusUnauthorized, endpoint.NoKey().Message)
	}
	hash, failed := m.host.Digest(key)
	if failed != nil {
		return "", broken(failed)
	}
	return hash, nil
}

// resume looks for the session of the request, and returns the hash of the endpoint's key with
// which it was opened, "" for the operator's.
func (m *managed) resume() (hash string, err *Error) {
	if err := m.identify(); err != nil {
		return "", err
	}
	rows, failed := m.host.Batch(session.Object, session.Find(m.id, m.clock()))
	if failed != nil {
		return "", broken(failed)
	}
	hash, expires, ok := session.Found(rows)
	if !ok {
		return "", ended()
	}
	m.expires = expires
	return hash, nil
}

// ended returns the error for the page where its browser has no session, or not any more.
func ended() *Error {
	return Refuse(http.StatusUnauthorized, "Your session has ended. Sign in again.")
}

// identify makes the id of the session out of its token and what it is bound to.
func (m *managed) identify() *Error {
	secret := ""
	if m.holder == session.Admin {
		secret, _ = m.host.Setting("ADMIN_KEY")
	}
	id, failed := m.host.Digest(session.Material(m.token, m.holder, m.r.Header.Get(session.OwnHeader),
		secret))
	if failed != nil {
		return broken(failed)
	}
	m.id = id
	return nil
}

// address returns the address by which the client's wrong keys are counted.
func (m *managed) address() string { return session.Client(m.r.Header.Get("cf-connecting-ip")) }

// clock returns the time that counts for sessions and attempts, in Unix seconds.
func (m *managed) clock() int64 {
	if test := faults.Clock(m.r); test != 0 {
		return int64(test)
	}
	return m.now
}

// wait returns the error for a client that has to wait for so many seconds, because of why; nil for 0.
func (m *managed) wait(seconds int64, why string) *Error {
	if seconds == 0 {
		return nil
	}
	text := strconv.FormatInt(seconds, 10)
	m.h.Set("retry-after", text)
	return Refuse(http.StatusTooManyRequests, why+" Try again in "+text+" seconds.")
}
