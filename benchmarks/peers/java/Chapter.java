// SPDX-License-Identifier: MIT

import java.util.ArrayList;
import java.util.List;

/** The chapter's workloads. */
final class Chapter {
    private Chapter() {
    }

    /** One actor sends to itself. */
    static final class SendStatic extends Workload {
        private final long sends;
        private long received;

        SendStatic(Settings settings) {
            sends = settings.number("sends");
        }

        @Override
        int actors() {
            return 1;
        }

        @Override
        long messages() {
            return sends;
        }

        @Override
        void start(java.util.concurrent.Executor pool) {
            new Actor(pool) {
                @Override
                void receive(Object message) {
                    if (++received == sends)
                        ended();
                    else
                        send(message);
                }
            }.send(GO);
        }

        @Override
        void check() {
            expect("messages received", received, sends);
        }
    }

    /** An actor that receives a message creates a new actor and a new message. */
    static final class SendDynamic extends Workload {
        private final long sends;
        private long received;

        SendDynamic(Settings settings) {
            sends = settings.number("sends");
            settings.memory();
        }

        private static final class Ping {
        }

        private final class Sender extends Actor {
            private final java.util.concurrent.Executor pool;

            Sender(java.util.concurrent.Executor pool) {
                super(pool);
                this.pool = pool;
            }

            @Override
            void receive(Object message) {
                if (++received < sends)
                    new Sender(pool).send(new Ping());
                else
                    ended();
            }
        }

        @Override
        int actors() {
            return 1; // the last one
        }

        @Override
        long messages() {
            return sends;
        }

        @Override
        void start(java.util.concurrent.Executor pool) {
            new Sender(pool).send(new Ping());
        }

        @Override
        void check() {
            expect("actors received a message", received, sends);
        }
    }

    /** Groups of actors flood one another. */
    static final class Executor extends Workload {
        private static final Object WAKE = new Object(); // to one member of a group

        private final int actors, group;
        private final long total, batch;
        private final boolean byGroups;
        private final List<Member> members = new ArrayList<>();

        Executor(Settings settings) {
            actors = (int) settings.number("actors");
            group = (int) settings.number("group");
            long rounds = settings.number("rounds");
            batch = settings.number("batch");
            byGroups = settings.choice("start", "all", "groups") == 1;
            total = group * rounds;
            if (group == 0 || actors % group != 0 || batch == 0 || total % batch != 0)
                throw new Settings.UsageError(
                        "group must divide actors, and batch group x rounds");
        }

        private final class Member extends Actor {
            private final int first; // of its group
            private int next;        // the member of its group to send to next
            private long countdown;  // messages to receive before the next batch is sent
            private long received;

            Member(java.util.concurrent.Executor pool, int first) {
                super(pool);
                this.first = first;
            }

            @Override
            void receive(Object message) {
                if (message == WAKE) {
                    for (int i = 0; i < group; i++)
                        members.get(first + i).send(GO);
                    return;
                }
                if (received++ == total) {
                    ended();
                    return;
                }
                if (countdown-- != 0)
                    return;
                countdown = batch - 1;
                for (long i = 0; i < batch; i++) {
                    members.get(first + next).send(message);
                    if (++next == group)
                        next = 0;
                }
            }
        }

        @Override
        int actors() {
            return actors;
        }

        @Override
        long messages() {
            return actors * (total + 1) + (byGroups ? actors / group : 0);
        }

        @Override
        void start(java.util.concurrent.Executor pool) {
            for (int i = 0; i < actors; i++)
                members.add(new Member(pool, i / group * group));
            for (int i = 0; byGroups && i < actors / group; i++)
                members.get(i * group + i % group).send(WAKE);
            for (int i = 0; !byGroups && i < actors; i++)
                members.get(i).send(GO);
        }

        @Override
        void check() {
            for (Member member : members)
                expect("messages received by an actor", member.received, total + 1);
        }
    }

    /** One client asks many servers, again and again. */
    static final class Repeat extends Workload {
        private final int n;
        private final long rounds;
        private final List<Server> servers = new ArrayList<>();
        private Client client;

        Repeat(Settings settings) {
            n = (int) settings.number("servers");
            rounds = settings.number("rounds");
        }

        /** The message that goes to and fro is the server itself, which counts its trips. */
        private final class Server extends Actor {
            private long trips;

            Server(java.util.concurrent.Executor pool) {
                super(pool);
            }

            @Override
            void receive(Object message) {
                if (message == PILL) {
                    ended();
                    return;
                }
                trips++;
                client.send(this);
            }
        }

        private final class Client extends Actor {
            private long done, answers, sum;

            Client(java.util.concurrent.Executor pool) {
                super(pool);
            }

            private void tellAll(Object message) {
                for (Server server : servers)
                    server.send(message);
            }

            @Override
            void receive(Object message) {
                if (message instanceof Server) {
                    sum += ((Server) message).trips;
                    if (++answers < n)
                        return;
                    answers = 0;
                    if (++done == rounds) {
                        tellAll(PILL);
                        ended();
                        return;
                    }
                }
                tellAll(GO);
            }
        }

        @Override
        int actors() {
            return n + 1;
        }

        @Override
        long messages() {
            return 2 * n * rounds + 1 + n;
        }

        @Override
        void start(java.util.concurrent.Executor pool) {
            client = new Client(pool);
            for (int i = 0; i < n; i++)
                servers.add(new Server(pool));
            client.send(GO);
        }

        @Override
        void check() {
            for (Server server : servers)
                expect("answers of a server", server.trips, rounds);
            expect("is the sum that the client got", client.sum, n * (rounds * (rounds + 1) / 2));
        }
    }
}
