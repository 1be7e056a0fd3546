package wrangler

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSecretsAreIgnored: git ignores all files with secrets, but not their examples.
func TestSecretsAreIgnored(t *testing.T) {
	if exec.Command("git", "rev-parse").Run() != nil {
		t.Skip("this is no checkout of git")
	}
	for name, want := range map[string]bool{
		".dev.vars": true, ".dev.vars.staging": true, ".env": true, ".env.local": true, ".env.staging": true,
		".env.staging.local": true,
		"e2e/.env":           true, "wrangler.personal.toml": true, "wrangler.personal.jsonc": true,
		".dev.vars.example": false,
		".env.example":      false,
		"wrangler.toml":     false,
	} {
		err := exec.Command("git", "-C", "../..", "check-ignore", "--no-index", "--quiet", name).Run()
		assert.Equal(t, want, err == nil, name)
	}
}
