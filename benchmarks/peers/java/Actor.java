// SPDX-License-Identifier: MIT

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An actor as one writes it with the standard library: a concurrent queue, the number of messages
 * in it, and a pool that runs the actor while that is not 0. The number is inherited, to save an
 * object.
 */
abstract class Actor extends AtomicInteger implements Runnable {
    /** After so many messages others have a turn: the pool's queue is in order. */
    private static final int TURN = 300;

    private final Executor pool;
    private final ConcurrentLinkedQueue<Object> mailbox = new ConcurrentLinkedQueue<>();

    Actor(Executor pool) {
        this.pool = pool;
    }

    abstract void receive(Object message);

    final void send(Object message) {
        mailbox.add(message);
        if (getAndIncrement() == 0)
            pool.execute(this);
    }

    @Override
    public final void run() {
        for (;;) {
            int n = Math.min(get(), TURN);
            for (int i = 0; i < n; i++)
                receive(mailbox.poll()); // it is there: it was added before it was counted
            if (addAndGet(-n) == 0)
                return;
            if (n == TURN) {
                pool.execute(this);
                return;
            }
        }
    }
}
