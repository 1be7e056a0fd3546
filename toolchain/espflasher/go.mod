module tinygo.org/x/espflasher

go 1.25.0
