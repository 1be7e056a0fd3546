// Package admin is what the Admin API and the owner API do to the records of personal endpoints: it reads requests, changes
// records and writes answers. It does no input or output: worker/admin.go does that for it. openapi.json describes both APIs.
//
// A key of an upstream is in a request only. A Record holds it until Finish has sealed it; no answer has it, sealed or not. The
// endpoint's own keys are hashes here, but for the new one that an answer shows once.
package admin
