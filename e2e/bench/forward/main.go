// Command forward passes each request on to the URL in its argument with httputil.ReverseProxy, and
// flushes each part of an answer at once. It is what the local host is compared with.
package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "forward:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: forward URL")
	}
	to, err := url.Parse(args[0])
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "listening on http://"+listener.Addr().String())
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 1000
	return http.Serve(listener, &httputil.ReverseProxy{FlushInterval: -1, Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }})
}
