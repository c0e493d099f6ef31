// SPDX-License-Identifier: MIT

package main

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// The command line: the workload, the protocol's numbers, and the parameters of --set.
type settings struct {
	benchmark                         string
	kind                              string // of actors: channels or mailboxes
	workers, iterations, warmup, seed uint64
	given, used                       map[string]string
}

// A user's mistake: one line, exit code 2.
type usageError string

func (text usageError) Error() string { return string(text) }

func refuse(format string, values ...interface{}) {
	panic(usageError(fmt.Sprintf(format, values...)))
}

func number(key, text string) uint64 {
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		refuse("%s=%s is not a number of its kind", key, text)
	}
	return value
}

func parse(arguments []string) *settings {
	s := &settings{kind: "channels", workers: 1, iterations: 5, warmup: 1, seed: 1,
		given: map[string]string{}, used: map[string]string{}}
	numbers := map[string]*uint64{"--workers": &s.workers, "--iterations": &s.iterations,
		"--warmup": &s.warmup, "--seed": &s.seed}
	for i := 0; i < len(arguments); i++ {
		word := arguments[i]
		if !strings.HasPrefix(word, "-") {
			s.benchmark = word
			continue
		}
		i++
		if i == len(arguments) {
			refuse("%s needs a value", word)
		}
		value := arguments[i]
		key, of, isSetting := strings.Cut(value, "=")
		if to, found := numbers[word]; found {
			*to = number(word, value)
		} else if word == "--kind" && (value == "channels" || value == "mailboxes") {
			s.kind = value
		} else if word == "--set" && isSetting {
			s.given[key] = of
		} else {
			refuse("%s %s is not understood", word, value)
		}
	}
	return s
}

func (s *settings) text(key string) string {
	value, found := s.given[key]
	if !found {
		refuse("--set %s=... is needed", key)
	}
	return value
}

func (s *settings) number(key string) uint64 {
	value := number(key, s.text(key))
	s.used[key] = strconv.FormatUint(value, 10)
	return value
}

// The index of the value among the choices.
func (s *settings) choice(key string, choices ...string) int {
	value := s.text(key)
	for i, choice := range choices {
		if choice == value {
			s.used[key] = `"` + value + `"`
			return i
		}
	}
	refuse("no %s=%s here", key, value)
	return 0
}

// Go allocates everything on its own heap, so the parameter `memory` has no meaning.
func (s *settings) memory() { s.choice("memory", "malloc") }

func (s *settings) refuseUnused() {
	for key := range s.given {
		if _, used := s.used[key]; !used {
			refuse("no parameter %s here", key)
		}
	}
}

func (s *settings) json() string {
	parts := []string{}
	for key, value := range s.used {
		parts = append(parts, fmt.Sprintf("%q: %s", key, value))
	}
	sort.Strings(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}
