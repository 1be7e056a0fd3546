// Package stored serves stored answers to clients of Responses and Interactions (ir.API.Stored), at
// endpoints with a store. Names and messages say "response" for both. A request that continues from a
// stored response gets the conversation before its own input (Conversation). The answer is stored
// before the client sees the answer's end (Writer). The paths under /v1/responses/ID and
// /v1/interactions/ID show, delete and continue stored responses (serve.go).
//
// worker/stored/archive has the SQL. The protocols read and write bodies and items.
package stored
