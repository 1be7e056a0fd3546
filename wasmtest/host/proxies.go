package host

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks of the reverse proxies whose X-Forwarded-For the host believes.
type Proxies []netip.Prefix

// ParseProxies reads the setting TRUSTED_PROXIES: networks and addresses, separated by commas. The
// error names the entry that is neither.
func ParseProxies(list string) (p Proxies, err error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimSpace(entry)
		network, err := netip.ParsePrefix(entry)
		if address, failed := netip.ParseAddr(entry); failed == nil && address.Zone() == "" {
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil || network.Addr().Is4In6() {
			return nil, fmt.Errorf("TRUSTED_PROXIES has %.64q: it must be a list of networks and addresses, "+
				"as 10.0.0.0/8,127.0.0.1,::1", entry)
		}
		p = append(p, network)
	}
	return p, nil
}

func (p Proxies) trusts(address netip.Addr) bool {
	for _, network := range p {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// client returns the address of a request's client: the peer of the connection or, if the peer is a
// trusted proxy, the right-most address in X-Forwarded-For that is none. A client can write whatever
// is to the left of the right-most untrusted address.
func (p Proxies) client(r *http.Request) string {
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	address := peer.Addr().Unmap()
	forwarded := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for forwarded != "" && p.trusts(address.WithZone("")) {
		comma := strings.LastIndexByte(forwarded, ',')
		next, ok := forwardedAddress(forwarded[comma+1:])
		if !ok { // nobody knows the address before this proxy
			break
		}
		address, forwarded = next, forwarded[:max(comma, 0)]
	}
	if !address.IsValid() {
		return ""
	}
	return address.String()
}

// forwardedAddress reads an entry of X-Forwarded-For: an address, or as some proxies write, an
// address with a port.
func forwardedAddress(entry string) (netip.Addr, bool) {
	entry = strings.TrimSpace(entry)
	if address, err := netip.ParseAddrPort(entry); err == nil {
		return address.Addr().Unmap(), true
	}
	address, err := netip.ParseAddr(strings.Trim(entry, "[]"))
	return address.Unmap(), err == nil
}
