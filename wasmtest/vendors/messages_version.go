package vendors

import (
	"fmt"
	"slices"

	"edgelingua/wasmtest/vendors/shape"
)

// The versions of the Messages API in the header anthropic-version: platform.claude.com/docs,
// "Versions". The words for any other one: directus-labs/extensions#285. Version 2026-10-21 no longer
// has the sampling parameters, not even with their default values ("temperature: Extra inputs are
// not permitted", ttlequals0/MinusPod 2.101.10), documents in assistant messages, and citations on
// a user's text.
const (
	oldVersion = "2023-06-01"
	newVersion = "2026-10-21"
)

// checkVersion rejects versions that the vendor does not know, and what the version does not have.
// Requests without a version have the rules of both.
func checkVersion(v *Vendor, body object, version string) {
	known := []string{"", "2023-01-01", oldVersion, newVersion}
	if v.options.OldVersion {
		known = known[:3]
	}
	if !slices.Contains(known, version) {
		shape.Refuse("", "anthropic-version: %q is not a valid version", version)
	}
	if version != newVersion {
		return
	}
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		if has(body, name) {
			shape.Refuse(name, "Extra inputs are not permitted")
		}
	}
	for i, message := range objects(body, "messages") {
		for k, block := range blocksOf(message) {
			path := fmt.Sprintf("messages[%d].content[%d]", i, k)
			switch role, kind := text(message, "role"), text(block, "type"); {
			case role == "assistant" && kind == "document":
				shape.Refuse(path, "Input tag 'document' found using 'type' does not match any of the "+
					"expected tags")
			case role == "user" && kind == "text" && len(get[[]any](block, "citations")) > 0:
				shape.Refuse(path+".citations", "Extra inputs are not permitted")
			}
		}
	}
}
