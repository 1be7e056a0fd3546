package vendors

import (
	"fmt"
	"slices"
	"strings"

	"edgelingua/wasmtest/vendors/shape"
)

// clientRun are the types of tools that OpenAI defines and the client runs.
var clientRun = []string{"namespace", "custom", "tool_search", "local_shell", "shell", "apply_patch"}

// checkFunctions rejects tools and items that servers other than OpenAI's do not have: LM Studio's
// words are "Invalid" with the path tools.13.type (lmstudio-ai/lms#537), vLLM's are "tool type
// namespace not supported" (vllm-project/vllm#49493).
func checkFunctions(body object) {
	for i, tool := range objects(body, "tools") {
		if kind := text(tool, "type"); slices.Contains(clientRun, kind) {
			shape.Refuse(fmt.Sprintf("tools.%d.type", i), "Invalid: tool type %s not supported", kind)
		}
	}
	for i, item := range objects(body, "input") {
		kind := text(item, "type")
		call := strings.TrimSuffix(strings.TrimSuffix(kind, "_output"), "_call")
		if has(item, "namespace") || call != kind && call != "function" && call != "web_search" {
			shape.Refuse(fmt.Sprintf("input.%d.type", i), "Invalid: item type %s not supported", kind)
		}
	}
}
