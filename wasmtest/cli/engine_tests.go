//go:build faults

package cli

// nativeTenants allows --engine native with ADMIN_KEY: in the program of the end-to-end tests the
// native engine has personal endpoints, too.
const nativeTenants = true
