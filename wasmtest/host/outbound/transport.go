// Package outbound makes the connections to upstreams, and restricts them to the public internet where
// the program asks for that.
package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"
)

// handshakeTime is how long an upstream may take for the handshake of TLS.
const handshakeTime = 10 * time.Second

var errHandshake = errors.New("TLS handshake timeout")

// ReadBuffer is how many bytes of an upstream's answer net/http reads at once. A chunk of half of
// that may have more behind it: what frames the body in HTTP takes a part of the buffer.
const ReadBuffer = 16 << 10

// wanter is the key under which the context of a request to an upstream holds that context itself.
type wanter struct{}

// Bounded returns a context that lets the connections it makes end with it: net/http makes them with
// a context that has the values of the request's, but not its end, so that a connection to an
// upstream that never answers would outlive its request by minutes, and requests whose clients
// leave would use up the descriptors of this process.
func Bounded(ctx context.Context) context.Context { return context.WithValue(ctx, wanter{}, ctx) }

// whileWanted returns ctx with the end of the request for which net/http makes a connection.
func whileWanted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	request, ok := ctx.Value(wanter{}).(context.Context)
	if !ok {
		return ctx, cancel
	}
	stop := context.AfterFunc(request, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// dialFunc makes a connection to an address.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Transport returns the transport for the connections that all exchanges of a host share; dialer
// makes them. A request goes out as the program wrote it and a response comes back as the upstream
// sent it: no proxy, no redirect, and no compression that the program did not ask for.
func Transport(dialer *net.Dialer) *http.Transport { return transportOver(dialer.DialContext) }

func transportOver(dial dialFunc) *http.Transport {
	http1 := &http.Protocols{}
	http1.SetHTTP1(true)
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := whileWanted(ctx)
			defer cancel()
			return dial(ctx, network, address)
		},
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := whileWanted(ctx)
			defer cancel()
			return dialTLS(ctx, dial, network, address)
		},
		ReadBufferSize:      ReadBuffer,
		DisableCompression:  true,
		Protocols:           http1,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     90 * time.Second,
	}
}

// dialTLS makes a connection whose server has shown a certificate for the address's host.
func dialTLS(ctx context.Context, dial dialFunc, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	secure := tls.Client(conn, &tls.Config{ServerName: host, NextProtos: []string{"http/1.1"}})
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		if errors.Is(err, context.DeadlineExceeded) {
			err = errHandshake
		}
		return nil, err
	}
	return secure, nil
}

// ConnectTo returns a transport that connects to one address whatever host a request names, so that
// a test's server can stand for a vendor's. On this machine's loopback that server speaks no TLS:
// it could have no certificate for the vendor's name.
func ConnectTo(address string) http.RoundTripper {
	t := transportOver(func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	})
	if host, _, err := net.SplitHostPort(address); err == nil && net.ParseIP(host).IsLoopback() {
		t.DialTLSContext = t.DialContext
	}
	return t
}
