//go:build js && wasm && !faults

package main

import "net/http"

func fault(*http.Request, string) {}

func (a *answer) stateTest(*http.Request) bool { return false }
