// SPDX-License-Identifier: MIT

// peer-go: actorlab's workloads in Go, with the protocol of docs/reference/peers.md and
//
//	--kind channels|mailboxes
//
// where an actor is a goroutine with a channel, or a slice under a mutex and a goroutine while it
// holds messages.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// One iteration.
type workload interface {
	actors() int      // that end
	messages() uint64 // as actorlab counts them
	start(spawn func(actor behaviour, most int) address)
	check() string // "" if the answer is right
}

// "" if the two agree.
func expect(what string, got, right uint64) string {
	if got == right {
		return ""
	}
	return fmt.Sprintf("%d %s instead of %d", got, what, right)
}

func newWorkload(s *settings) workload {
	switch s.benchmark {
	case "send-static":
		return newSendStatic(s)
	case "send-dynamic":
		return newSendDynamic(s)
	case "executor":
		return newExecutor(s)
	case "repeat":
		return newRepeat(s)
	case "big":
		return newBig(s)
	case "bang":
		return newBang(s)
	}
	refuse("no workload '%s' here", s.benchmark)
	return nil
}

func peakRssBytes() uint64 {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) > 1 && words[0] == "VmHWM:" {
			kibibytes, _ := strconv.ParseUint(words[1], 10, 64)
			return kibibytes * 1024
		}
	}
	return 0
}

// Returns the time, and what was wrong with the answer.
func iterate(s *settings, w workload) (time.Duration, string) {
	var ended sync.WaitGroup
	spawn := spawnChannel
	if s.kind == "mailboxes" {
		spawn = spawnMailbox
	}
	runtime.GC() // the garbage of the iteration before is not this one's
	ended.Add(w.actors())
	began := time.Now()
	w.start(func(actor behaviour, most int) address { return spawn(actor, most, &ended) })
	ended.Wait()
	return time.Since(began), w.check()
}

// Prints the record; returns the exit code.
func measure(s *settings) int {
	runtime.GOMAXPROCS(int(s.workers))
	times, wrong, messages := []string{}, "", uint64(0)
	for i := uint64(0); i < s.warmup+s.iterations && wrong == ""; i++ {
		w := newWorkload(s)
		s.refuseUnused()
		messages = w.messages()
		var took time.Duration
		took, wrong = iterate(s, w)
		if i >= s.warmup && wrong == "" {
			times = append(times, strconv.FormatInt(took.Nanoseconds(), 10))
		}
	}
	outcome, code := `"ok"`, 0
	if wrong != "" {
		outcome, code = fmt.Sprintf(`"wrong", "error": %q`, wrong), 1
	}
	fmt.Printf(`{"benchmark": %q, "parameters": %s, "workers": %d, "time_ns": [%s], "messages": %d, `+
		`"peak_rss_bytes": %d, "version": %q, "outcome": %s}`+"\n", s.benchmark, s.json(), s.workers,
		strings.Join(times, ", "), messages, peakRssBytes(),
		strings.Replace(runtime.Version(), "go", "Go ", 1)+", "+s.kind, outcome)
	return code
}

func main() {
	defer func() {
		failure := recover()
		if text, refused := failure.(usageError); refused {
			fmt.Fprintf(os.Stderr, "peer-go: %s\n", text)
			os.Exit(2)
		} else if failure != nil {
			panic(failure)
		}
	}()
	os.Exit(measure(parse(os.Args[1:])))
}
