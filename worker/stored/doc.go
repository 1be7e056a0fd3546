// Package stored serves stored responses to clients of the Responses API, at endpoints with a
// store. A request that continues from a stored response gets the conversation before its own input
// (Conversation). The answer is stored before the client sees the answer's end (Writer). The paths
// under /v1/responses/ID show, delete and continue stored responses (serve.go).
//
// worker/stored/archive has the SQL, and translator/responses reads and writes bodies and items.
package stored
