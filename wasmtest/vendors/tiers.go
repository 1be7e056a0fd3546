package vendors

import (
	"net/http"
	"regexp"
	"strings"

	"edgelingua/wasmtest/vendors/shape"
)

// serviceTier has the tiers of OpenAI's APIs (ServiceTier in openai 7.57 for JavaScript).
var serviceTier = shape.OneOf("auto", "default", "flex", "scale", "priority", "fast", "ultrafast")

// openAITier returns the tier in OpenAI's answer to a request: "priority" also for "fast".
func openAITier(body object) string {
	switch tier := text(body, "service_tier"); tier {
	case "fast":
		return "priority"
	case "flex", "scale", "priority", "ultrafast":
		return tier
	}
	return "default"
}

// The models of Anthropic with a fast mode, without Opus 4.8, which loses the mode on November 30,
// 2026, and those that require a beta for any speed (platform.claude.com/docs, "Fast mode").
var (
	fastModel = regexp.MustCompile(`^claude-(opus-5(-5)?|fable-5-2|mythos-5-2)$`)
	betaModel = regexp.MustCompile(`^claude-opus-5$`)
)

// checkSpeed rejects a speed that the model does not have, or whose beta is not named.
func checkSpeed(body object, header http.Header) {
	if body["speed"] == nil {
		return
	}
	model := text(body, "model")
	beta := strings.Contains(strings.Join(header.Values("Anthropic-Beta"), ","), "fast-mode-2026-02-01")
	switch {
	case betaModel.MatchString(model) && !beta:
		shape.Refuse("speed", "Extra inputs are not permitted")
	case text(body, "speed") == "fast" && !fastModel.MatchString(model):
		shape.Refuse("speed", "%s does not support the `speed` parameter", model)
	}
}
