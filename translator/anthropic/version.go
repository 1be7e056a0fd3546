package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/target"
)

// The versions of the API in the header anthropic-version. The API rejects requests without a
// version, and any other version ("is not a valid version"). The newest one rejects temperature,
// top_p and top_k for every model ("temperature: Extra inputs are not permitted"), documents in
// assistant messages and citations on a user's text (platform.claude.com/docs, "Versions"; the
// types of @anthropic-ai/sdk 1.0 no longer have the parameters). A translated request never has
// such documents and citations. Answers are the same in both versions.
const (
	oldest = "2023-06-01"
	newest = "2026-10-21"
)

// versionHosts are the servers to which Anthropic's SDKs since October 2026 send the newest version
// in the header: Anthropic's own, Microsoft Foundry, Claude Platform on AWS and Bedrock's Mantle
// (@anthropic-ai/sdk, foundry-sdk, aws-sdk and bedrock-sdk 1.x).
const versionHosts = vendorHost + " services.ai.azure.com api.aws"

var version = ir.Version{
	Header:   "anthropic-version",
	Oldest:   oldest,
	Newest:   newest,
	Knows:    func(host string) bool { return target.IsHost(host, versionHosts) },
	Restrict: func(t *ir.Target) { t.NoSampling = true },
}
