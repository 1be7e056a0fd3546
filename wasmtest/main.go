// Command wasmtest is the program edgelingua: it runs the deployed module on this machine, without
// Node and without an account.
package main

import "edgelingua/wasmtest/cli"

func main() { cli.Main() }
