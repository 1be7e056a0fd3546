package conform

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// socket is one side of a WebSocket (RFC 6455), as much as the cases need: text messages, pings and a close.
type socket struct {
	conn   net.Conn
	reader *bufio.Reader
	masks  bool // the client's side
}

// magic is appended to the key of a handshake (RFC 6455, section 1.3).
const magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

// maxHead bounds the answer to a handshake. socketTime bounds a conversation of a scripted upstream.
const (
	maxHead    = 1 << 20
	socketTime = 10 * time.Minute
)

func acceptOf(key string) string {
	sum := sha1.Sum([]byte(key + magic))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// dial opens a WebSocket. If the server refuses, the socket is nil and the reply has the refusal.
func dial(ctx context.Context, address string, head map[string]string) (s *socket, reply *Reply, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, err
	}
	host := hostPort(u)
	var conn net.Conn
	if u.Scheme == "https" {
		conn, err = (&tls.Dialer{Config: &tls.Config{NextProtos: []string{"http/1.1"}}}).DialContext(ctx,
			"tcp", host)
	} else {
		conn, err = (&net.Dialer{}).DialContext(ctx, "tcp", host)
	}
	if err != nil {
		return nil, nil, err
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	defer func() {
		if s == nil {
			conn.Close()
		}
	}()
	var nonce [16]byte
	_, _ = rand.Read(nonce[:])
	key := base64.StdEncoding.EncodeToString(nonce[:])
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, err
	}
	for name, v := range head {
		r.Header.Set(name, v)
	}
	for name, v := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket",
		"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key} {
		r.Header.Set(name, v)
	}
	if err := r.Write(conn); err != nil {
		return nil, nil, err
	}
	limited := &io.LimitedReader{R: conn, N: maxHead}
	reader := bufio.NewReader(limited)
	response, err := http.ReadResponse(reader, r)
	if err != nil {
		return nil, nil, err
	}
	reply = &Reply{Status: response.StatusCode, Header: response.Header}
	limited.N = math.MaxInt64
	if response.StatusCode != http.StatusSwitchingProtocols {
		reply.Body, reply.Broken = io.ReadAll(io.LimitReader(response.Body, maxBody))
		return nil, reply, nil
	}
	if got := response.Header.Get("Sec-WebSocket-Accept"); got != acceptOf(key) {
		return nil, reply, fmt.Errorf("a handshake with the wrong Sec-WebSocket-Accept: %q", got)
	}
	return &socket{conn, reader, true}, reply, nil
}

// accept answers a handshake. The connection ends after socketTime.
func accept(w http.ResponseWriter, r *http.Request) (*socket, error) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(socketTime)); err != nil {
		conn.Close()
		return nil, err
	}
	_, err = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+
		"websocket\r\n"+
		"Sec-WebSocket-Accept: "+acceptOf(r.Header.Get("Sec-WebSocket-Key"))+"\r\n\r\n")
	return &socket{conn, buffered.Reader, false}, err
}

// isUpgrade reports whether a request opens a WebSocket.
func isUpgrade(r *http.Request) bool { return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") }

// The kinds of frames.
const (
	opText  = 1
	opClose = 8
	opPing  = 9
	opPong  = 10
)

// write sends a frame.
func (s *socket) write(op byte, payload []byte) error {
	frame := []byte{0x80 | op}
	mask := byte(0)
	if s.masks {
		mask = 0x80
	}
	switch n := len(payload); {
	case n < 126:
		frame = append(frame, mask|byte(n))
	case n < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, mask|126), uint16(n))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, mask|127), uint64(n))
	}
	if s.masks {
		frame = append(frame, 0, 0, 0, 0) // a mask of zeros changes nothing
	}
	_, err := s.conn.Write(append(frame, payload...))
	return err
}

var errClosed = errors.New("the connection was closed")

// read returns the next text message. It answers pings.
func (s *socket) read() (message []byte, err error) {
	for {
		var head [2]byte
		if _, err := io.ReadFull(s.reader, head[:]); err != nil {
			return nil, err
		}
		n := uint64(head[1] & 0x7f)
		if n >= 126 {
			var long [8]byte
			size := 2
			if n == 127 {
				size = 8
			}
			if _, err := io.ReadFull(s.reader, long[8-size:]); err != nil {
				return nil, err
			}
			n = binary.BigEndian.Uint64(long[:])
		}
		if n > maxBody-uint64(len(message)) {
			return nil, errors.New("a message of more than 32 MB")
		}
		var mask [4]byte
		if head[1]&0x80 != 0 {
			if _, err := io.ReadFull(s.reader, mask[:]); err != nil {
				return nil, err
			}
		}
		payload := make([]byte, n)
		if _, err := io.ReadFull(s.reader, payload); err != nil {
			return nil, err
		}
		for i := range payload {
			payload[i] ^= mask[i%4]
		}
		switch head[0] & 0xf {
		case opClose:
			return nil, errClosed
		case opPing:
			if err := s.write(opPong, payload); err != nil {
				return nil, err
			}
		case opPong:
		default:
			if message = append(message, payload...); head[0]&0x80 != 0 {
				return message, nil
			}
		}
	}
}
