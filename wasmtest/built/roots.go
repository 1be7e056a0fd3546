//go:build release

package built

// Where a machine has no certificates, as a container with nothing but this program, those of
// Mozilla's list are used that are in here.
import _ "golang.org/x/crypto/x509roots/fallback"
