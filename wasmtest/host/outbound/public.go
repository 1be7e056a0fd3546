package outbound

import (
	"errors"
	"net"
	"net/netip"
	"syscall"
)

// ErrNotPublic is the error for an upstream whose address is not public. The error does not contain
// the address: the client may not know it.
var ErrNotPublic = errors.New("its name leads to an address that is not on the public internet")

// publicOnly is the Control function of a net.Dialer for the public internet. The dialer passes the
// resolved address, so no name server can bypass the check.
func publicOnly(_, address string, _ syscall.RawConn) error {
	// A record's host name is checked by its form only, and its owner can point the name at the
	// machine beside this server, also after a check. So the connection itself is checked. The
	// program says for each fetch whether to check: the deployment's own variables may name Ollama
	// on localhost. worker.mjs checks nothing: workerd's global fetch connects to public addresses
	// only (workerd.capnp, Config.services: allow = ["public"]), and JavaScript sees only names.
	at, err := netip.ParseAddrPort(address)
	if err != nil || !isPublic(at.Addr()) {
		return ErrNotPublic
	}
	return nil
}

// isPublic reports whether an address is on the public internet. An IPv6 address that represents an
// IPv4 address is judged as the IPv4 address.
func isPublic(a netip.Addr) bool {
	a = a.Unmap()
	if a.Is6() && nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	if a.Is6() && !globalUnicast.Contains(a) {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

var (
	nat64         = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052
	globalUnicast = netip.MustParsePrefix("2000::/3")     // RFC 4291, section 2.4
	special       = prefixes(                             // IANA's registries of special-purpose addresses
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24",
		"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"224.0.0.0/3",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	)
)

func prefixes(texts ...string) (list []netip.Prefix) {
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// Public returns a dialer that only connects to the public internet.
func Public() *net.Dialer { return &net.Dialer{Control: publicOnly} }
