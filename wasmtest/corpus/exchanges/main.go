// Command exchanges prints the cases of the golden corpus for tests that are not written in Go:
// one JSON object a line, with bodies in base64. It must run in the root of the project.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"

	"edgelingua/wasmtest/corpus"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	scenarios, err := corpus.Load("translator/testdata")
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	for _, s := range scenarios {
		list, err := s.Cases()
		if err != nil {
			return err
		}
		for _, x := range list {
			if err := lines.Encode(x); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}
