// SPDX-License-Identifier: Apache-2.0

// gosnmp-loop HOST:PORT DEVICES SECONDS WORKERS: walks ten counter columns of each device dev-0 …, as telegraf does: one
// column after the other, as fast as it can. Prints objects, seconds and CPU seconds. It keeps nothing.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gosnmp/gosnmp"
)

var columns = []string{
	".1.3.6.1.2.1.31.1.1.1.6", ".1.3.6.1.2.1.31.1.1.1.10", ".1.3.6.1.2.1.31.1.1.1.7", ".1.3.6.1.2.1.31.1.1.1.11",
	".1.3.6.1.2.1.31.1.1.1.8", ".1.3.6.1.2.1.31.1.1.1.12", ".1.3.6.1.2.1.31.1.1.1.9", ".1.3.6.1.2.1.31.1.1.1.13",
	".1.3.6.1.2.1.2.2.1.14", ".1.3.6.1.2.1.2.2.1.20",
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "gosnmp-loop:", err)
		os.Exit(1)
	}
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	must(err)
	return value
}

func cpuSeconds() float64 {
	var used syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}

func walk(host string, port int, device int) int64 {
	client := &gosnmp.GoSNMP{Target: host, Port: uint16(port), Community: fmt.Sprintf("dev-%d", device),
		Version: gosnmp.Version2c, Timeout: 2 * time.Second, Retries: 2, MaxRepetitions: 25}
	must(client.Connect())
	defer client.Conn.Close()
	var objects int64
	for _, column := range columns {
		found, err := client.BulkWalkAll(column)
		must(err)
		objects += int64(len(found))
	}
	return objects
}

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "gosnmp-loop HOST:PORT DEVICES SECONDS WORKERS")
		os.Exit(2)
	}
	host, port, _ := strings.Cut(os.Args[1], ":")
	devices, seconds, workers := number(os.Args[2]), number(os.Args[3]), number(os.Args[4])
	begin, cpu := time.Now(), cpuSeconds()
	deadline := begin.Add(time.Duration(seconds) * time.Second)
	var objects, next atomic.Int64
	var group sync.WaitGroup
	for i := 0; i < workers; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for time.Now().Before(deadline) {
				objects.Add(walk(host, number(port), int(next.Add(1)-1)%devices))
			}
		}()
	}
	group.Wait()
	fmt.Printf("{\"objects\":%d,\"seconds\":%f,\"cpu_s\":%f}\n", objects.Load(), time.Since(begin).Seconds(), cpuSeconds()-cpu)
}
