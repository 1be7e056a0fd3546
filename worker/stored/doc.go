// Package stored serves stored answers to clients of APIs with ir.API.Stored, Responses and
// Interactions, at endpoints with a store. Messages and names say "response" for both. A request that continues from a stored response gets the conversation before its own input
// (Conversation). The answer is stored before the client sees the answer's end (Writer). The paths
// under /v1/responses/ID show, delete and continue stored responses (serve.go).
//
// worker/stored/archive has the SQL, and translator/responses reads and writes bodies and items.
package stored
