//go:build js && wasm && !faults

package main

import (
	"net/http"

	"edgelingua/worker/usage"
)

func fault(*http.Request, string) {}

func (a *answer) stateTest(*http.Request) bool { return false }

func clock(*http.Request) usage.Clock { return 0 }

func renewEvery(*http.Request) int { return usage.RenewEvery }
