// Package admin implements the Admin API and the owner API, which change the records of personal
// endpoints; openapi.json describes both. Only serve*.go and authorize.go call the host. The other
// files read requests, change records and write answers, without input or output.
//
// An upstream's key occurs only in requests. A Record holds it until Finish has sealed it; no
// answer contains it, sealed or not. Of the endpoint's own keys only hashes are known, except for a
// new key, shown once in an answer.
package admin
