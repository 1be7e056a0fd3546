// Package session stores the browser sessions of operators and owners, and limits how many wrong
// keys clients may present. It makes the SQL that runs in the object named Object, and reads the
// rows. It also finds the page and the cookie of a request. worker/admin runs the statements.
//
//	session        a row for each session that a browser has opened
//	session_wrong  how many wrong keys a client's address has presented in this minute; the address
//	               '' counts the keys of all addresses
//
// A session is a cookie with a random token. The row's id is the hash of Material: the token and
// everything to which the session is bound. With another token, holder, page or ADMIN_KEY the hash
// differs, and no row is found. A hash of ADMIN_KEY without the token is never stored, because the
// key could be guessed from it.
package session
