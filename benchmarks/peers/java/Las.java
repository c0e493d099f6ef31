// SPDX-License-Identifier: MIT

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** Workloads of the LAS paper. */
final class Las {
    private Las() {
    }

    /** Every actor pings others in rounds, one drawn at random or all of them. */
    static final class Big extends Workload {
        private final int n;
        private final long pings, seed;
        private final boolean pingAll;
        private final long[] due; // pings that each actor is to receive
        private final List<Pinger> all = new ArrayList<>();
        private Sink sink;

        Big(Settings settings) {
            n = (int) settings.number("actors");
            pings = settings.number("pings");
            seed = settings.seed();
            pingAll = settings.choice("partners", "random", "all") == 1;
            if (n < 2)
                throw new Settings.UsageError("actors=" + n + ": nobody to ping");
            due = new long[n];
            for (int i = 0; i < n; i++) {
                Random random = new Random(seed, i);
                for (long ping = 0; ping < pings; ping++)
                    due[partner(random, i, ping)]++;
            }
        }

        /** The partner of the actor with this number for its ping-th ping, from 0. */
        private int partner(Random random, int number, long ping) {
            int other = pingAll ? (int) (ping % (n - 1)) : random.below(n - 1);
            return other >= number ? other + 1 : other;
        }

        private static final class Ping {
            private final Pinger from;

            Ping(Pinger from) {
                this.from = from;
            }
        }

        private static final class Pong {
            private final Pinger from;

            Pong(Pinger from) {
                this.from = from;
            }
        }

        private final class Pinger extends Actor {
            private final int number;
            private final Random random;
            private final Ping ping = new Ping(this);
            private final Pong pong = new Pong(this);
            private long sent, gotPings, gotPongs;
            private long strays; // rounds whose pongs came from others than were pinged
            private long owed;   // sum of the numbers of the actors that owe it a pong, from 1

            Pinger(Executor pool, int number) {
                super(pool);
                this.number = number;
                random = new Random(seed, number);
            }

            private void sendPings() {
                for (long i = Math.min(pingAll ? n - 1 : 1, pings - sent); i > 0; i--) {
                    int other = partner(random, number, sent++);
                    owed += other + 1;
                    all.get(other).send(ping);
                }
            }

            private void receivePong(Pong message) {
                owed -= message.from.number + 1;
                if (++gotPongs < sent)
                    return;
                strays += owed != 0 ? 1 : 0;
                if (sent == pings)
                    sink.send(GO);
                else
                    sendPings();
            }

            @Override
            void receive(Object message) {
                if (message instanceof Ping) {
                    gotPings++;
                    ((Ping) message).from.send(pong);
                } else if (message instanceof Pong) {
                    receivePong((Pong) message);
                } else if (message == GO) {
                    sendPings();
                } else {
                    ended();
                }
            }
        }

        private final class Sink extends Actor {
            private int reports;

            Sink(Executor pool) {
                super(pool);
            }

            @Override
            void receive(Object message) {
                if (++reports < n)
                    return;
                for (Pinger pinger : all)
                    pinger.send(PILL);
                ended();
            }
        }

        @Override
        int actors() {
            return n + 1;
        }

        @Override
        long messages() {
            return n * (2 * pings + 3);
        }

        @Override
        void start(Executor pool) {
            sink = new Sink(pool);
            for (int i = 0; i < n; i++)
                all.add(new Pinger(pool, i));
            for (Pinger pinger : all)
                pinger.send(GO);
        }

        @Override
        void check() {
            for (Pinger pinger : all) {
                expect("pongs received by an actor", pinger.gotPongs, pings);
                expect("rounds with pongs of others than were pinged", pinger.strays, 0);
                expect("pings received by an actor", pinger.gotPings, due[pinger.number]);
            }
        }
    }

    /** Many senders flood one receiver. */
    static final class Bang extends Workload {
        private final int senders, n;
        private final int[] next; // the next sequence number of each sender
        private long received, misplaced;

        Bang(Settings settings) {
            senders = (int) settings.number("senders");
            n = (int) settings.number("messages");
            settings.memory();
            next = new int[senders];
        }

        private static final class Message {
            private final int sender, sequence;

            Message(int sender, int sequence) {
                this.sender = sender;
                this.sequence = sequence;
            }
        }

        private final class Receiver extends Actor {
            Receiver(Executor pool) {
                super(pool);
            }

            @Override
            void receive(Object message) {
                Message got = (Message) message;
                misplaced += got.sequence != next[got.sender]++ ? 1 : 0;
                if (++received == total())
                    ended();
            }
        }

        private final class Sender extends Actor {
            private final Receiver to;
            private final int number;

            Sender(Executor pool, Receiver to, int number) {
                super(pool);
                this.to = to;
                this.number = number;
            }

            @Override
            void receive(Object message) {
                for (int i = 0; i < n; i++)
                    to.send(new Message(number, i));
                ended();
            }
        }

        private long total() {
            return (long) senders * n;
        }

        @Override
        int actors() {
            return senders + 1;
        }

        @Override
        long messages() {
            return total() + senders;
        }

        @Override
        void start(Executor pool) {
            Receiver receiver = new Receiver(pool);
            for (int i = 0; i < senders; i++)
                new Sender(pool, receiver, i).send(GO);
        }

        @Override
        void check() {
            expect("messages out of their sender's order", misplaced, 0);
            expect("messages received", received, total());
        }
    }
}
