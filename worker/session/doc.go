// Package session keeps what browsers are signed in with, and bounds how many wrong keys may be
// presented. It makes the SQL that runs in the object named Object and reads what comes back, and
// says which page and which cookie a request comes with; worker/admin runs it.
//
//	session        a session for each time that somebody has signed in
//	session_wrong  how many wrong keys a client's address has presented in the last minute; the address '' counts those of all
//
// A session is a cookie with a random token. The row has the hash of the token together with what
// the session is bound to, which is Material: with another token, holder, page or ADMIN_KEY the
// hash is another one, and no row is found. The hash of ADMIN_KEY alone, which could be guessed, is
// nowhere.
package session
