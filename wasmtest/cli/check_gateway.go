package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"edgelingua/wasmtest/conform"
)

// gatewayStart is how long a gateway may take until it listens.
const gatewayStart = 2 * time.Minute

// checkGateways checks a gateway with each of the upstreams in turn.
func (o *checkOptions) checkGateways(ctx context.Context, options conform.Options, stdin io.Reader,
	stderr io.Writer) (reports conform.Reports, err error) {
	key, err := checkKey(ctx, o.url, stdin, stderr)
	if err != nil {
		return nil, err
	}
	for _, name := range o.upstreams {
		report, err := o.checkGateway(ctx, name, key, options, stderr)
		if err != nil {
			return nil, err
		}
		reports = append(reports, report)
	}
	return reports, nil
}

func (o *checkOptions) checkGateway(ctx context.Context, name, key string, options conform.Options,
	stderr io.Writer) (*conform.Report, error) {
	upstream, err := conform.NewUpstream(name)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return nil, fmt.Errorf("can't listen for the gateway (%w); choose another address with --listen", err)
	}
	server := &http.Server{Handler: upstream, ReadHeaderTimeout: time.Minute}
	go server.Serve(listener)
	defer server.Close()
	base := upstream.Base("http://" + listener.Addr().String())
	target := conform.Target{URL: o.url, Key: key, Model: o.model}
	model := cmp.Or(o.model, upstream.Model())
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := func(bool) error { return nil }
	if len(o.gateway) > 0 {
		if conform.Listens(ctx, o.url) {
			return nil, fmt.Errorf("a server listens at %s before the gateway is started; stop that server",
				o.url)
		}
		replace := strings.NewReplacer("{url}", base, "{key}", conform.UpstreamKey, "{model}", model,
			"{api}", name)
		stop, err := o.start(ctx, cancel, replace)
		if err != nil {
			return nil, err
		}
		defer stop(false)
		ended = func(gone bool) error { return stop(gone || !conform.Listens(ctx, o.url)) }
		wait, done := context.WithTimeout(ctx, gatewayStart)
		defer done()
		if err := conform.Await(wait, o.url); err != nil {
			return nil, cmp.Or(ended(false), err)
		}
	} else {
		fmt.Fprintf(stderr, "The upstream (%s) is at %s, its key is %s, and its model is %s.\nWaiting "+
			"for the gateway at %s\n",
			name, base, conform.UpstreamKey, model, o.url)
		if err := conform.Await(ctx, o.url); err != nil {
			return nil, err
		}
	}
	served, err := findAPIs(ctx, target, options)
	if err != nil {
		return nil, cmp.Or(ended(false), err)
	}
	report := conform.CheckGateway(ctx, target, upstream, served, options)
	if err := ended(report.Stopped != ""); err != nil {
		report.OK, report.Stopped = false, target.Hide(err.Error())
	}
	return report, nil
}

// start runs the gateway's command. ended is called if the gateway ends by itself. stop ends the gateway,
// and returns an error if the gateway had ended by itself. If the gateway seems to be gone, stop first
// waits for its own end.
func (o *checkOptions) start(ctx context.Context, ended func(), replace *strings.Replacer) (
	stop func(gone bool) error, err error) {
	var args []string
	for _, arg := range o.gateway {
		args = append(args, replace.Replace(arg))
	}
	running, cancel := context.WithCancel(ctx)
	command := exec.CommandContext(running, args[0], args[1:]...)
	said := &lastBytes{}
	command.Stdout, command.Stderr = said, said
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second
	if err := command.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("can't start the gateway: %w", err)
	}
	done := make(chan error, 1)
	go func() {
		err := command.Wait()
		if running.Err() == nil {
			done <- fmt.Errorf("the gateway ended (%v): %s", cmp.Or(err, errors.New("exit status 0")),
				said.text())
			ended()
		}
		close(done)
	}()
	return func(gone bool) error {
		if gone {
			select {
			case err := <-done:
				return err
			case <-time.After(command.WaitDelay):
			}
		}
		cancel()
		return <-done
	}, nil
}

// lastBytes keeps the end of a program's output.
type lastBytes struct {
	mu   sync.Mutex
	kept []byte
}

const maxLast = 600

func (l *lastBytes) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, p...)
	if len(l.kept) > maxLast {
		l.kept = l.kept[len(l.kept)-maxLast:]
	}
	return len(p), nil
}

// text returns the output in one line.
func (l *lastBytes) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(bytes.Join(bytes.Fields(l.kept), []byte(" ")))
}
