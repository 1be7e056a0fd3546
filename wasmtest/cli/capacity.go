package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// perRequest is the assumed memory of one request, in bytes. A stream uses 0.5 MB; a stream with an
// answer of 16 MB uses 36 MB.
const perRequest = 16 << 20

// defaultConcurrent returns how many requests an endpoint may have open at a time, limited by the
// memory of this machine or container and by the descriptors of this process.
func defaultConcurrent() int {
	return min(concurrentIn(memoryHere()), concurrentWith(openFiles()))
}

func memoryHere() int { return memory("/proc/meminfo", "/sys/fs/cgroup/memory.max") }

func concurrentIn(memory int) int { return min(max(memory/perRequest, 16), 1024) }

// concurrentWith returns how many requests an endpoint may have open if admitted requests use at
// most two fifths of files.
func concurrentWith(files int) int {
	left := files - filesBeside
	places := min(left*2/5/filesPerRequest, (left-fewest)/(filesPerRequest+1))
	return max(places*4/5, 1) // placesOf(n*4/5) is n at most
}

// Descriptors of this process.
const (
	manyFiles   = 1 << 20 // if there is no limit
	filesBeside = 32      // the listeners, the store and its journal, the log, the poller
	// the client's connection and the upstream's; to connect, two addresses or two name servers are
	// tried at once
	filesPerRequest = 4
	filesPerWaiting = 2  // the client's connection, and a file of the page
	fewest          = 24 // for the lobby, WebSockets and idle connections
)

// capacity is the number of connections that a server may have open in addition to its admitted
// requests.
type capacity struct {
	waiting int // connections waiting in the lobby
	sockets int // WebSockets; while a frame is answered, its WebSocket also has a request's slot
	// idle connections to upstreams: this many to the public internet, and as many to other
	// networks
	idle int
	demo int // connections to the demo upstream, which is in this process too; 0 without a demo
}

// capacityOf returns the capacity of a server with a number of descriptors, if an endpoint may have
// limit requests open. Of the remaining descriptors the lobby gets a half, WebSockets and idle
// connections get a quarter each.
func capacityOf(limit, files int, demo bool) (c capacity, err error) {
	places := placesOf(limit)
	perRequest, ends := filesPerRequest, 1
	if demo {
		perRequest, ends = filesPerRequest+1, 2
	}
	left := files - filesBeside - places*perRequest
	c.waiting = min(left/2/filesPerWaiting, max(places, 256))
	c.sockets = min(left/4, max(places, 256))
	c.idle = min(left/4/2/ends, 256)
	if demo {
		c.demo = places + 2*c.idle
	}
	if left < fewest {
		return c, fmt.Errorf("--max-concurrent %d needs %d open files, and this process may have %d; "+
			"raise `ulimit -n`, or set a lower --max-concurrent",
			limit, filesBeside+places*perRequest+fewest, files)
	}
	return c, nil
}

// rememberedIn returns how many bytes of conversations WebSockets may remember together: an eighth
// of the memory, at most 512 MB. The events of background responses may take the same number.
func rememberedIn(memory int) int { return min(memory/8, 512<<20) }

// memory returns the memory of the machine or, if less, of the container, in bytes. Linux has the
// values in the files meminfo and limit; without both it is 4 GB.
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
