// Package testdns resolves public names to local servers in tests.
package testdns

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
)

// Loopback returns a resolver with the answer 127.0.0.1 for every name, as the owner of a public
// name can set up too.
func Loopback() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go resolveToLoopback(far)
		return near, nil
	}}
}

// resolveToLoopback answers one DNS question (RFC 1035, section 4): type A with 127.0.0.1, other
// types without an address.
func resolveToLoopback(conn net.Conn) {
	defer conn.Close()
	var length [2]byte
	for {
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(conn, question); err != nil {
			return
		}
		// the end of the question: name, type and class
		end := 12 + strings.IndexByte(string(question[12:]), 0) + 5
		answer := append([]byte{question[0], question[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0},
			question[12:end]...)
		if question[end-3] == 1 { // type A
			answer[7] = 1
			answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1)
		}
		binary.BigEndian.PutUint16(length[:], uint16(len(answer)))
		conn.Write(append(length[:], answer...))
	}
}
