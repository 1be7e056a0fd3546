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

// signed is the session of a request.
type signed struct {
	holder  string // holder of the sessions for the request's path
	origin  string // origin of this deployment's page, if the page sent the request; else ""
	token   string // token of the session; "": no session, or a key, which has precedence
	id      string // id of the session; set by identify
	expires int64  // end of the session in Unix seconds; 0: resume has found no session
}

// run answers the request, or returns the reason for refusing it. key is the client's key.
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
		return 0, nil, Refuse(http.StatusMethodNotAllowed,
			m.r.URL.Path+" accepts "+m.Allow+", not "+m.r.Method+".")
	}
	switch {
	case m.Operation >= DeploymentRead && m.Operation <= DeploymentSessions:
		return m.serveDeployment(key)
	case !IsAdmin(m.r.URL.Path):
		return m.serveOwner(key)
	case m.IsSession():
		return m.serveSession(key, "")
	}
	return m.serveAdmin()
}

// readSession reads the session of the request. The cookie counts only if the page has sent the
// request, without a key.
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

// authorizeAdmin returns an error unless the client has an operator's session or presents
// ADMIN_KEY.
func (m *managed) authorizeAdmin(key string) *Error {
	want, refused := endpoint.AdminKey(m.host.Setting)
	switch {
	case refused != "":
		return Refuse(http.StatusForbidden, refused)
	case m.token != "":
		_, err := m.resume()
		return err
	case key != "":
		if subtle.ConstantTimeCompare([]byte(want), []byte(key)) == 1 {
			return nil
		}
		if err := m.countWrong(); err != nil {
			return err
		}
	case m.origin != "":
		return ended()
	}
	return Refuse(http.StatusUnauthorized,
		"No key, or a wrong one. Send ADMIN_KEY as `Authorization: Bearer KEY`, or as the header "+
			"`x-api-key`.")
}

// countWrong counts a wrong key. After too many wrong keys it returns an error. The right key is
// never counted and never refused: the clients behind one proxy share an address, and could keep the
// operator out. The length of ADMIN_KEY prevents guessing. A deployment without ENDPOINT_STATE does
// not count.
func (m *managed) countWrong() *Error {
	address := session.Client(m.r.Header.Get("cf-connecting-ip"))
	rows, failed := m.host.Batch(session.Object, session.Wrong(address, m.clock()))
	switch {
	case failed == nil:
		return m.wait(session.Refused(rows), "A wrong key, and too many of them have come.")
	case bridge.Unbound(failed):
		return nil
	}
	return broken(failed)
}

// ownerHash returns the hash of the owner's key: the presented key, or the key that opened the
// owner's session.
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

// resume finds the session of the request, and returns the hash of the endpoint key that opened it.
// For an operator's session the hash is "".
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

// ended returns the error for the page if the browser's session has ended or never existed.
func ended() *Error {
	return Refuse(http.StatusUnauthorized, "Your session has ended. Sign in again.")
}

// identify computes the id of the session from the token and everything to which the session is
// bound.
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

// clock returns the time for sessions and attempts, in Unix seconds.
func (m *managed) clock() int64 {
	if test := faults.Clock(m.r); test != 0 {
		return int64(test)
	}
	return m.now
}

// wait returns the error for a client that has to wait, or nil if seconds is 0. why begins the
// message.
func (m *managed) wait(seconds int64, why string) *Error {
	if seconds == 0 {
		return nil
	}
	text := strconv.FormatInt(seconds, 10)
	m.h.Set("retry-after", text)
	return Refuse(http.StatusTooManyRequests, why+" Try again in "+text+" seconds.")
}
