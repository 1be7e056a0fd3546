// Package admin is the Admin API and the owner API, which change the records of personal endpoints;
// openapi.json describes both. Only serve*.go and authorize.go call the host. The other files read
// requests, change records and write answers, without input or output.
//
// A key of an upstream is in a request only. A Record holds it until Finish has sealed it; no
// answer has it, sealed or not. The endpoint's own keys are hashes here, but for the new one that
// an answer shows once.
package admin
