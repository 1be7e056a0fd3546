package cli

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

// healthy returns the command healthy.
func (p *program) healthy() *cobra.Command {
	return newCommand(
		description{
			section: checking,
			use:     "healthy HOST:PORT",
			short:   "ask a running edgelingua whether it is well",
			long: `edgelingua healthy HOST:PORT asks the edgelingua that listens there whether it is
well, at /healthz, for up to two seconds. A container, which has no other program, checks itself
with it.`,
			example: `edgelingua healthy 127.0.0.1:8787`,
			exit:    exitCodes,
		},
		func(args []string) error {
			if len(args) != 1 {
				return usageError{errors.New("healthy takes one HOST:PORT, as 127.0.0.1:8787")}
			}
			return healthy(args[0])
		},
	)
}

// healthy returns an error unless a healthy edgelingua answers at an address.
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
