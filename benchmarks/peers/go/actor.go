// SPDX-License-Identifier: MIT

package main

import "sync"

// A message. Most need no more than a number; a pointer to what is allocated for it is `object`.
type message struct {
	kind   int
	number uint64
	object interface{}
}

// What an actor does with a message. Returns whether it has ended.
type behaviour interface {
	receive(message) bool
}

// Where one sends messages for an actor.
type address interface {
	send(message)
}

// How actors are made: spawn an actor whose mailbox never holds more than so many messages. When it
// has ended, it tells `ended`.
type spawner func(actor behaviour, most int, ended *sync.WaitGroup) address

// A goroutine for each actor, which receives from a channel.
type channel chan message

func (to channel) send(m message) { to <- m }

func spawnChannel(actor behaviour, most int, ended *sync.WaitGroup) address {
	mailbox := make(channel, most)
	go func() {
		for m := range mailbox {
			if actor.receive(m) {
				ended.Done()
				return
			}
		}
	}()
	return mailbox
}

// A slice under a mutex, which a goroutine empties while it holds messages.
type mailbox struct {
	mutex   sync.Mutex
	waiting []message
	spare   []message // of the goroutine: the one that it has emptied
	running bool
	actor   behaviour
	ended   *sync.WaitGroup
}

func spawnMailbox(actor behaviour, most int, ended *sync.WaitGroup) address {
	return &mailbox{actor: actor, ended: ended}
}

func (to *mailbox) send(m message) {
	to.mutex.Lock()
	to.waiting = append(to.waiting, m)
	idle := !to.running
	to.running = true
	to.mutex.Unlock()
	if idle {
		go to.run()
	}
}

// All that waits, or nil if nothing does; then the goroutine ends.
func (of *mailbox) take() []message {
	of.mutex.Lock()
	defer of.mutex.Unlock()
	if len(of.waiting) == 0 {
		of.running = false
		return nil
	}
	taken := of.waiting
	of.waiting = of.spare[:0]
	return taken
}

func (of *mailbox) run() {
	for taken := of.take(); taken != nil; taken = of.take() {
		for i := range taken {
			if of.actor.receive(taken[i]) {
				of.ended.Done()
				return
			}
			taken[i].object = nil // it may be collected
		}
		of.spare = taken
	}
}
