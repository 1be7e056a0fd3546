// Package readme makes the sections of README.md that the code and the corpus know better: what is carried between the protocols,
// and what can be configured. Its test holds README.md to them, and with -update writes them.
package readme
