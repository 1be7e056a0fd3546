package host

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// peerVariable makes the test binary a peer: the upstream and the clients of a benchmark, in a
// separate process. So the time and memory of this process belong to the host only.
const peerVariable = "EDGELINGUA_TEST_PEER"

func TestMain(m *testing.M) {
	if os.Getenv(peerVariable) != "" {
		runPeer()
		return
	}
	os.Exit(m.Run())
}

// peer is the other process. It reads commands from its stdin: see runPeer.
type peer struct {
	url    string // the URL of the upstream
	in     io.WriteCloser
	answer *bufio.Reader
}

func startPeer(b *testing.B) *peer {
	b.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), peerVariable+"=1")
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	require.NoError(b, err)
	out, err := c.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, c.Start())
	b.Cleanup(func() {
		in.Close()
		c.Wait()
	})
	p := &peer{in: in, answer: bufio.NewReader(out)}
	p.url = p.line(b)
	return p
}

func (p *peer) line(b *testing.B) string {
	b.Helper()
	line, err := p.answer.ReadString('\n')
	require.NoError(b, err)
	return strings.TrimSuffix(line, "\n")
}

// run streams chunks to each of streams concurrent clients, through the host at url. It returns
// when all clients have their chunks: the longest wait for a first chunk.
func (p *peer) run(b *testing.B, url string, streams, chunks int) time.Duration {
	b.Helper()
	fmt.Fprintln(p.in, "run", url, streams, chunks)
	first, err := time.ParseDuration(p.line(b))
	require.NoError(b, err)
	return first
}

// open opens streams through the host at url. They stay open after their first chunk, until close.
func (p *peer) open(b *testing.B, url string, streams int) {
	b.Helper()
	fmt.Fprintln(p.in, "open", url, streams, 1)
	require.Equal(b, "done", p.line(b))
}

func (p *peer) close(b *testing.B) {
	b.Helper()
	fmt.Fprintln(p.in, "close")
	require.Equal(b, "done", p.line(b))
}

// runPeer is the main function of the other process. Its upstream sends a chunk when the client of
// the stream has the previous chunk. So each chunk is a separate read, and both sides of the host
// wait for each.
func runPeer() {
	u := &pacedUpstream{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(listener, u)
	fmt.Println("http://" + listener.Addr().String())
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 1000
	for commands := bufio.NewScanner(os.Stdin); commands.Scan(); {
		words := strings.Fields(commands.Text())
		if words[0] == "close" {
			close(u.hold)
			u.clients.Wait()
			fmt.Println("done")
			continue
		}
		streams, _ := strconv.Atoi(words[2])
		chunks, _ := strconv.Atoi(words[3])
		u.acks, u.hold = make([]chan struct{}, streams), nil
		if words[0] == "open" {
			u.hold = make(chan struct{})
		}
		var first sync.WaitGroup
		first.Add(streams)
		begun := time.Now()
		for i := range streams {
			u.acks[i] = make(chan struct{}, 1)
			u.clients.Go(func() { u.receive(words[1], i, chunks, &first) })
		}
		first.Wait()
		waited := time.Since(begun)
		if u.hold != nil {
			fmt.Println("done")
			continue
		}
		u.clients.Wait()
		fmt.Println(waited)
	}
}

type pacedUpstream struct {
	acks    []chan struct{} // by the number of the stream, which is also the model's name
	hold    chan struct{}   // keeps the streams open
	clients sync.WaitGroup
}

// benchDelta is the text of each chunk.
const benchDelta = "a piece of text as models send it"

func (u *pacedUpstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, rest, _ := strings.Cut(string(body), `"model":"m`)
	number, _, _ := strings.Cut(rest, `"`)
	stream, chunk, _ := strings.Cut(number, "-")
	i, _ := strconv.Atoi(stream)
	chunks, _ := strconv.Atoi(chunk)
	w.Header().Set("Content-Type", "text/event-stream")
	const head = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m",` +
		`"choices":[{"index":0,"delta":`
	for range chunks {
		io.WriteString(w, head+`{"content":"`+benchDelta+`"},"finish_reason":null}]}`+"\n\n")
		flush(w)
		<-u.acks[i]
	}
	if u.hold != nil {
		<-u.hold
	}
	io.WriteString(w, head+`{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

func (u *pacedUpstream) receive(url string, i, chunks int, first *sync.WaitGroup) {
	body := fmt.Sprintf(`{"model":"m%d-%d","max_tokens":9,"stream":true,"messages":[{"role":"user",`+
		`"content":"Hello"}]}`, i, chunks)
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("X-Api-Key", "key")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	got := 0
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), benchDelta) {
			if got++; got == 1 {
				first.Done()
			}
			u.acks[i] <- struct{}{}
		}
	}
	if got != chunks {
		panic(fmt.Sprintf("a client got %d of %d chunks: %v", got, chunks, lines.Err()))
	}
}
