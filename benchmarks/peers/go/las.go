// SPDX-License-Identifier: MIT

package main

// Workloads of the LAS paper.

const (
	ping = iota + pill + 1
	pong
	report
)

// big: every actor pings others in rounds, one drawn at random or all of them.
type big struct {
	n           int
	pings, seed uint64
	all         bool
	due         []uint64 // pings that each actor is to receive
	pingers     []*pinger
	addresses   []address
	sink        address
}

// Pings and pongs carry the number of their sender.
type pinger struct {
	big                *big
	number             uint64
	random             random
	sent               uint64
	gotPings, gotPongs uint64
	strays             uint64 // rounds whose pongs came from others than were pinged
	owed               uint64 // sum of the numbers of the actors that owe it a pong, from 1
}

type sink struct {
	big     *big
	reports int
}

func newBig(s *settings) workload {
	w := &big{n: int(s.number("actors")), pings: s.number("pings"), seed: s.seed}
	w.all = s.choice("partners", "random", "all") == 1
	if w.n < 2 {
		refuse("actors=%d: nobody to ping", w.n)
	}
	w.due = make([]uint64, w.n)
	for i := range w.due {
		drawn := newRandom(w.seed, uint64(i))
		for n := uint64(0); n < w.pings; n++ {
			w.due[w.partner(&drawn, uint64(i), n)]++
		}
	}
	return w
}

// The partner of the actor with this number for its n-th ping, from 0.
func (w *big) partner(drawn *random, number, n uint64) uint64 {
	others, other := uint64(w.n-1), uint64(0)
	if w.all {
		other = n % others
	} else {
		other = uint64(drawn.below(uint32(others)))
	}
	if other >= number {
		other++
	}
	return other
}

// How many an actor sends before it waits for their pongs.
func (w *big) round() uint64 {
	if w.all {
		return uint64(w.n - 1)
	}
	return 1
}

func (w *big) actors() int { return w.n + 1 }

// Pings and pongs; to each actor the first message and the pill; to the sink a report from each.
func (w *big) messages() uint64 { return uint64(w.n) * (2*w.pings + 3) }

func (w *big) start(spawn func(behaviour, int) address) {
	w.sink = spawn(&sink{big: w}, w.n)
	for i := 0; i < w.n; i++ {
		one := &pinger{big: w, number: uint64(i), random: newRandom(w.seed, uint64(i))}
		w.pingers = append(w.pingers, one)
		// All others may ping it at once, and each of its pings may be answered.
		w.addresses = append(w.addresses, spawn(one, 2*w.n))
	}
	for _, to := range w.addresses {
		to.send(message{kind: first})
	}
}

func (w *big) check() string {
	for i, one := range w.pingers {
		for _, wrong := range []string{expect("pongs received by an actor", one.gotPongs, w.pings),
			expect("rounds with pongs of others than were pinged", one.strays, 0),
			expect("pings received by an actor", one.gotPings, w.due[i])} {
			if wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

func (p *pinger) sendPings() {
	n := p.big.round()
	if left := p.big.pings - p.sent; n > left {
		n = left
	}
	for ; n > 0; n-- {
		other := p.big.partner(&p.random, p.number, p.sent)
		p.sent++
		p.owed += other + 1
		p.big.addresses[other].send(message{kind: ping, number: p.number})
	}
}

func (p *pinger) receivePong(from uint64) {
	p.owed -= from + 1
	p.gotPongs++
	if p.gotPongs < p.sent {
		return
	}
	if p.owed != 0 {
		p.strays++
	}
	if p.sent == p.big.pings {
		p.big.sink.send(message{kind: report})
	} else {
		p.sendPings()
	}
}

func (p *pinger) receive(m message) bool {
	switch m.kind {
	case ping:
		p.gotPings++
		p.big.addresses[m.number].send(message{kind: pong, number: p.number})
	case pong:
		p.receivePong(m.number)
	case first:
		p.sendPings()
	default:
		return true
	}
	return false
}

func (s *sink) receive(message) bool {
	s.reports++
	if s.reports < s.big.n {
		return false
	}
	for _, to := range s.big.addresses {
		to.send(message{kind: pill})
	}
	return true
}

// The messages that a flooded channel holds.
const flood = 1000

// bang: many senders flood one receiver.
type bang struct {
	senders, n          uint64
	receiver            address
	next                []uint64 // the next sequence number of each sender
	received, misplaced uint64
}

// A message is one word: the number of its sender, and its number in these bits.
const sequenceBits = 40

type bangSender struct {
	all    *bang
	number uint64
}

func newBang(s *settings) workload {
	w := &bang{senders: s.number("senders"), n: s.number("messages")}
	s.memory()
	if w.senders > 1<<(64-sequenceBits) || w.n > 1<<sequenceBits {
		refuse("at most %d senders and %d messages here", 1<<(64-sequenceBits), 1<<sequenceBits)
	}
	w.next = make([]uint64, w.senders)
	return w
}

func (w *bang) total() uint64    { return w.senders * w.n }
func (w *bang) actors() int      { return int(w.senders) + 1 }
func (w *bang) messages() uint64 { return w.total() + w.senders }

func (w *bang) check() string {
	if w.misplaced != 0 {
		return expect("messages out of their sender's order", w.misplaced, 0)
	}
	return expect("messages received", w.received, w.total())
}

func (w *bang) start(spawn func(behaviour, int) address) {
	// It sends nothing, so that a sender may wait for it: a channel need not hold all messages.
	w.receiver = spawn(w, flood)
	for i := uint64(0); i < w.senders; i++ {
		spawn(&bangSender{w, i}, 1).send(message{kind: first})
	}
}

func (w *bang) receive(m message) bool {
	sender, sequence := m.number>>sequenceBits, m.number&(1<<sequenceBits-1)
	if sequence != w.next[sender] {
		w.misplaced++
	}
	w.next[sender]++
	w.received++
	return w.received == w.total()
}

func (s *bangSender) receive(message) bool {
	for i := uint64(0); i < s.all.n; i++ {
		s.all.receiver.send(message{number: s.number<<sequenceBits | i})
	}
	return true
}
