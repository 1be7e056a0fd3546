package cli

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// preset is an upstream for --upstream.
type preset struct {
	ID, Title, Protocol, URL string
	Models                   map[string]string // MODELS; "" is a name to be filled in
	Keyless                  bool              // needs no key
}

// presetsJSON is made from worker/page/operator/presets.mjs, the presets of the page. To update it:
// go test ./wasmtest/cli -run TestPresets -update
//
// The sources of addresses without a source in translator/*/targets.go:
// vercel.com/docs/ai-gateway/openai-compat, help.aliyun.com/zh/model-studio (compatibility with
// OpenAI: Beijing, Singapore, Virginia),
// learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle ("/openai/v1", and the versions
// of deployments with a path of their own) and
// .../ai-foundry/foundry-models/how-to/use-foundry-models-claude ("/anthropic"),
// docs.aws.amazon.com/bedrock/latest/userguide/endpoints.html and .../inference-messages-api.html,
// huggingface.co/docs/inference-providers.
//
//go:embed presets.json
var presetsJSON []byte

var presets = func() (list []*preset) {
	if err := json.Unmarshal(presetsJSON, &list); err != nil {
		panic(err)
	}
	return list
}()

// named reports whether --upstream accepts the preset: its address is complete, without parts for
// the user to replace.
func (p *preset) named() bool { return !strings.Contains(p.URL, "<") }

// presetIDs returns the names for --upstream.
func presetIDs() (names []string) {
	for _, p := range presets {
		if p.named() {
			names = append(names, p.ID)
		}
	}
	return names
}

func presetNames() string { return strings.Join(presetIDs(), ", ") }

// presetOf returns the preset of a name, nil for "". The error does not repeat the name: it may be
// a URL with a key.
func presetOf(name string) (*preset, error) {
	if name == "" {
		return nil, nil
	}
	for _, p := range presets {
		if p.ID == name && p.named() {
			return p, nil
		}
	}
	if near := nearest(name, presetIDs()); near != "" {
		return nil, fmt.Errorf("--upstream takes no such name; did you mean %s?", near)
	}
	return nil, fmt.Errorf("--upstream takes one of %s; any other is set by --var UPSTREAM_PROTOCOL=... "+
		"--var UPSTREAM_URL=...", presetNames())
}
