// Package outbound makes the connections to upstreams, on request only to the public internet.
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

// ReadBuffer is how many bytes of an upstream's answer net/http reads at once. After a chunk of
// half that size more bytes may be waiting: the framing of HTTP takes a part of the buffer.
const ReadBuffer = 4 << 10

// wanter is the key of a request's context in that context itself.
type wanter struct{}

// Bounded returns a context that ends new connections when it ends. net/http dials with the values
// of the request's context, but without its end. A connection to a silent upstream would outlive
// its request by minutes, and clients that leave early would use up this process's file
// descriptors.
func Bounded(ctx context.Context) context.Context { return context.WithValue(ctx, wanter{}, ctx) }

// whileWanted returns ctx with the end of the dialling request.
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

// Transport returns a transport for the connections that all exchanges of a host share. dialer
// makes the connections. Requests and responses pass unchanged: no redirect, and no
// compression unless the program requests compression.
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

// dialTLS makes a connection to a server with a certificate for the address's host.
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

// ConnectTo returns a transport that connects to one address for every host, for tests with a
// server instead of a vendor's. On a loopback address the server does not use TLS: a test server
// has no certificate for the vendor's name.
func ConnectTo(address string) http.RoundTripper {
	t := transportOver(func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	})
	if host, _, err := net.SplitHostPort(address); err == nil && net.ParseIP(host).IsLoopback() {
		t.DialTLSContext = t.DialContext
	}
	return t
}
