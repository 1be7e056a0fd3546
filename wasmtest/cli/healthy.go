package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"time"
)

const healthySynopsis = `edgelingua healthy HOST:PORT asks the edgelingua that listens there whether it is well, at /healthz, for up to two seconds. A container,
which has no other program, checks itself so.
` + exitCodes

// parseHealthy parses the arguments of healthy.
func parseHealthy(args []string, stdout io.Writer) (address string, err error) {
	flags := flag.NewFlagSet("healthy", flag.ContinueOnError)
	if err := parse(flags, args, healthySynopsis, stdout); err != nil {
		return "", err
	}
	if flags.NArg() != 1 {
		return "", usageError{errors.New("healthy takes one HOST:PORT, as 127.0.0.1:8787")}
	}
	return flags.Arg(0), nil
}

// healthy returns an error for an address at which no edgelingua is well.
func healthy(address string) error {
	client := http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{Proxy: nil}}
	answer, err := client.Get("http://" + address + "/healthz")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s/healthz answers %s", address, answer.Status)
	}
	return nil
}
