package main

import (
	"os"
	"strconv"
	"strings"
)

// What one request may take of the memory: a stream takes half a MB, one of 16 MB takes 36.
const perRequest = 16 << 20

// defaultConcurrent is how many requests may be open at a time: as many as the memory of this machine, or of the container, has
// room for.
func defaultConcurrent() int {
	return concurrentIn(memory("/proc/meminfo", "/sys/fs/cgroup/memory.max"))
}

func concurrentIn(memory int) int { return min(max(memory/perRequest, 16), 1024) }

// memory returns what Linux says of the machine and of the container, in bytes, and 4 GB where nobody says anything.
func memory(meminfo, limit string) int {
	bytes := 4 << 30
	text, _ := os.ReadFile(meminfo)
	if fields := strings.Fields(string(text)); len(fields) > 1 && fields[0] == "MemTotal:" {
		if kilobytes, err := strconv.Atoi(fields[1]); err == nil {
			bytes = kilobytes << 10
		}
	}
	text, _ = os.ReadFile(limit)
	if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		bytes = min(bytes, n)
	}
	return bytes
}
