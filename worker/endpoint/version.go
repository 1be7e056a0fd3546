package endpoint

import "edgelingua/translator/ir"

// version returns the version of the API in the upstream's settings, or "".
func (u *Upstream) version() string {
	for _, h := range u.Headers {
		if u.API.Version != nil && h.Name == u.API.Version.Header {
			return h.Value
		}
	}
	return ""
}

// PassesVersion reports whether the upstream may get a version of an API that a client names.
func (u *Upstream) PassesVersion(v *ir.Version, version string) bool {
	return v.Passes(u.knownHost(), version)
}

// Raises reports whether the upstream's settings name the newest version of the API and the client
// an earlier one, so that the upstream may reject the client's body. version is the client's, or "".
func (u *Upstream) Raises(version string) bool {
	v := u.API.Version
	return v != nil && u.version() >= v.Newest && version < v.Newest
}
