package main

import (
	"os"
	"strconv"
	"strings"
)

// perRequest is what one request is taken to use of the memory, in bytes. A stream uses 0.5 MB, one whose answer is 16 MB uses 36
// MB.
const perRequest = 16 << 20

// defaultConcurrent returns how many requests may be open at a time: as many as fit into the memory of this machine or container.
func defaultConcurrent() int {
	return concurrentIn(memory("/proc/meminfo", "/sys/fs/cgroup/memory.max"))
}

func concurrentIn(memory int) int { return min(max(memory/perRequest, 16), 1024) }

// memory returns the memory of the machine or, where that is less, of the container, in bytes, as Linux has it in the files
// meminfo and limit; 4 GB where it is in neither.
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
