//go:build release

package built

// If a machine has no certificates, for example a container with only this program, Mozilla's list
// from this package is used.
import _ "golang.org/x/crypto/x509roots/fallback"
