package outbound

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsPublic(t *testing.T) {
	for _, a := range []string{"1.1.1.1", "104.16.0.1", "172.32.0.1", "::ffff:8.8.8.8", "2606:4700::1111",
		"64:ff9b::808:808"} {
		assert.True(t, isPublic(netip.MustParseAddr(a)), a)
	}
	for _, a := range []string{
		"127.0.0.1", "0.0.0.0", "10.1.2.3", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1",
		"255.255.255.255", "224.0.0.1",
		"::1", "::", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "fe80::1%eth0",
		"fd00::1", "ff02::1", "2002:7f00:1::", "2001:0:1::",
	} {
		assert.False(t, isPublic(netip.MustParseAddr(a)), a)
	}
}
