// SPDX-License-Identifier: MIT

package main

// The chapter's workloads.

// Kinds of messages.
const (
	first = iota // the first message of an actor
	wake         // to one member of a group
	question
	answer
	pill
)

// send-static: one actor sends to itself.
type sendStatic struct {
	self            address
	sends, received uint64
}

func newSendStatic(s *settings) workload { return &sendStatic{sends: s.number("sends")} }

func (w *sendStatic) actors() int      { return 1 }
func (w *sendStatic) messages() uint64 { return w.sends }
func (w *sendStatic) check() string    { return expect("messages received", w.received, w.sends) }

func (w *sendStatic) start(spawn func(behaviour, int) address) {
	w.self = spawn(w, 1)
	w.self.send(message{})
}

func (w *sendStatic) receive(m message) bool {
	w.received++
	if w.received == w.sends {
		return true
	}
	w.self.send(m)
	return false
}

// send-dynamic: an actor that receives a message creates a new actor and a new message.
type sendDynamic struct {
	spawn           func(behaviour, int) address
	sends, received uint64
}

type dynamicSender struct{}

type dynamicPing struct{ all *sendDynamic }

func newSendDynamic(s *settings) workload {
	s.memory()
	return &sendDynamic{sends: s.number("sends")}
}

func (w *sendDynamic) actors() int      { return int(w.sends) }
func (w *sendDynamic) messages() uint64 { return w.sends }
func (w *sendDynamic) check() string {
	return expect("actors received a message", w.received, w.sends)
}

func (w *sendDynamic) create() {
	w.spawn(&dynamicSender{}, 1).send(message{object: &dynamicPing{w}})
}

func (w *sendDynamic) start(spawn func(behaviour, int) address) {
	w.spawn = spawn
	w.create()
}

func (*dynamicSender) receive(m message) bool {
	all := m.object.(*dynamicPing).all
	all.received++
	if all.received < all.sends {
		all.create()
	}
	return true
}

// executor: groups of actors flood one another.
type executor struct {
	n, group     int
	total, batch uint64
	byGroups     bool
	members      []*member
	addresses    []address
}

type member struct {
	all                 *executor
	group               []address
	next                int    // the member of its group to send to next
	countdown, received uint64 // countdown: messages to receive before the next batch is sent
}

func newExecutor(s *settings) workload {
	w := &executor{n: int(s.number("actors")), group: int(s.number("group"))}
	rounds := s.number("rounds")
	w.batch = s.number("batch")
	w.byGroups = s.choice("start", "all", "groups") == 1
	w.total = uint64(w.group) * rounds
	if w.group == 0 || w.n%w.group != 0 || w.batch == 0 || w.total%w.batch != 0 {
		refuse("group must divide actors, and batch group x rounds")
	}
	return w
}

func (w *executor) actors() int { return w.n }

func (w *executor) messages() uint64 {
	woken := 0
	if w.byGroups {
		woken = w.n / w.group
	}
	return uint64(w.n)*(w.total+1) + uint64(woken)
}

func (w *executor) start(spawn func(behaviour, int) address) {
	w.addresses = make([]address, w.n)
	for i := range w.addresses {
		from := i / w.group * w.group
		one := &member{all: w, group: w.addresses[from : from+w.group]}
		w.members = append(w.members, one)
		// Each of the group has at most as many under way as it has received, and a batch.
		w.addresses[i] = spawn(one, int(w.total)+2)
	}
	if w.byGroups {
		for i := 0; i < w.n/w.group; i++ {
			w.addresses[i*w.group+i%w.group].send(message{kind: wake})
		}
		return
	}
	for _, to := range w.addresses {
		to.send(message{})
	}
}

func (w *executor) check() string {
	for _, one := range w.members {
		if wrong := expect("messages received by an actor", one.received, w.total+1); wrong != "" {
			return wrong
		}
	}
	return ""
}

func (m *member) receive(got message) bool {
	if got.kind == wake {
		for _, to := range m.group {
			to.send(message{})
		}
		return false
	}
	m.received++
	if m.received > m.all.total {
		return true
	}
	if m.countdown > 0 {
		m.countdown--
		return false
	}
	m.countdown = m.all.batch - 1
	for i := uint64(0); i < m.all.batch; i++ {
		m.group[m.next].send(got)
		m.next++
		if m.next == len(m.group) {
			m.next = 0
		}
	}
	return false
}

// repeat: one client asks many servers, again and again. A message carries the number of its trips.
type repeat struct {
	n         int
	rounds    uint64
	client    address
	servers   []*server
	addresses []address
	asker     *asker
}

type server struct {
	all     *repeat
	answers uint64
}

type asker struct {
	all                *repeat
	done, answers, sum uint64
}

func newRepeat(s *settings) workload {
	return &repeat{n: int(s.number("servers")), rounds: s.number("rounds")}
}

func (w *repeat) actors() int { return w.n + 1 }

// Questions and answers, the first message to the client, and a pill for each server.
func (w *repeat) messages() uint64 { return 2*uint64(w.n)*w.rounds + 1 + uint64(w.n) }

func (w *repeat) start(spawn func(behaviour, int) address) {
	w.asker = &asker{all: w}
	w.client = spawn(w.asker, w.n+1)
	for i := 0; i < w.n; i++ {
		one := &server{all: w}
		w.servers = append(w.servers, one)
		w.addresses = append(w.addresses, spawn(one, 1))
	}
	w.client.send(message{kind: first})
}

func (w *repeat) check() string {
	for _, one := range w.servers {
		if wrong := expect("answers of a server", one.answers, w.rounds); wrong != "" {
			return wrong
		}
	}
	return expect("is the sum that the client got", w.asker.sum,
		uint64(w.n)*(w.rounds*(w.rounds+1)/2))
}

func (s *server) receive(m message) bool {
	if m.kind == pill {
		return true
	}
	s.answers++
	s.all.client.send(message{kind: answer, number: m.number + 1})
	return false
}

func (a *asker) tellAll(m message) {
	for _, to := range a.all.addresses {
		to.send(m)
	}
}

func (a *asker) receive(m message) bool {
	if m.kind == answer {
		a.sum += m.number
		a.answers++
		if a.answers < uint64(a.all.n) {
			return false
		}
		a.answers = 0
		a.done++
		if a.done == a.all.rounds {
			a.tellAll(message{kind: pill})
			return true
		}
	}
	a.tellAll(message{kind: question, number: a.done})
	return false
}
