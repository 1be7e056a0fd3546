//go:build !faults

package cli

// nativeTenants allows --engine native with ADMIN_KEY.
const nativeTenants = false
