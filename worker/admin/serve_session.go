package admin

import (
	"net/http"
	"strconv"

	"edgelingua/worker/session"
)

// serveSession answers a request about a client's session. The client has already been authorized
// by key or by the session itself. hash is the hash of the owner's key, or "" for the operator.
func (m *managed) serveSession(key, hash string) (status int, out []byte, err *Error) {
	switch m.Operation {
	case ReadSession:
		return http.StatusOK, m.session(), nil
	case EndSession:
		return m.signOut()
	}
	return m.signIn(key, hash)
}

// signIn opens a session, and sets its cookie.
func (m *managed) signIn(key, hash string) (status int, out []byte, err *Error) {
	switch {
	case m.origin == "":
		return 0, nil, Refuse(http.StatusForbidden,
			"Only the page opens a session. A program sends the key with each request.")
	case !session.Private(m.origin):
		return 0, nil, Refuse(http.StatusForbidden,
			"No session is opened over http, since others on the way could read it. Open the page "+
				"with https, "+
				"or on the machine itself as http://127.0.0.1, to which `ssh -L 8787:127.0.0.1:8787 "+
				"HOST` leads.")
	case key == "":
		return 0, nil, Refuse(http.StatusUnauthorized,
			"A new session needs the key. Send it as `Authorization: Bearer KEY`.")
	}
	m.token = m.host.Random()
	if err := m.identify(); err != nil {
		return 0, nil, err
	}
	now := m.clock()
	rows, failed := m.host.Batch(session.Object, session.Open(m.id, m.holder, hash, now))
	if failed != nil {
		return 0, nil, Refuse(http.StatusInternalServerError, "No session can be kept. "+failed.Error())
	}
	if err := m.wait(session.Opened(rows), "Too many sessions were opened with this key."); err != nil {
		return 0, nil, err
	}
	m.expires = now + session.Life
	m.h.Set("set-cookie", session.Cookie(m.token, m.holder, m.origin))
	return http.StatusCreated, m.session(), nil
}

// signOut ends the session of the request, valid or not, and deletes the cookie.
func (m *managed) signOut() (status int, out []byte, err *Error) {
	if m.token == "" {
		return http.StatusNoContent, nil, nil
	}
	if err := m.identify(); err != nil {
		return 0, nil, err
	}
	if _, failed := m.host.Batch(session.Object, session.End(m.id)); failed != nil {
		return 0, nil, broken(failed)
	}
	m.h.Set("set-cookie", session.Cookie("", m.holder, m.origin))
	return http.StatusNoContent, nil, nil
}

// session returns the body of an answer about the session: when the session ends, or null without a
// session.
func (m *managed) session() []byte {
	if m.expires == 0 {
		return []byte(`{"expires":null}` + "\n")
	}
	return append(strconv.AppendInt([]byte(`{"expires":`), m.expires, 10), "}\n"...)
}
