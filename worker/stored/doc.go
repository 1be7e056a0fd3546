// Package stored is what clients of the Responses API get of stored responses, at an endpoint that stores them. A request that goes on
// from a stored response gets the conversation in front of its own input (Turn), its answer is stored before the client sees its end
// (Writer), and the paths under /v1/responses/ID show, delete and go on from what is stored (serve.go).
//
// worker/archive has the SQL, and translator/responses knows what bodies and items look like.
package stored
