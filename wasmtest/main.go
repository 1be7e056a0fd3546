// Command wasmtest is the program edgelingua. The program runs the deployed module locally, without
// Node or a Cloudflare account.
package main

import "edgelingua/wasmtest/cli"

func main() { cli.Main() }
