// SPDX-License-Identifier: MIT

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;

/** One iteration. Each of its actors counts down when it has ended. */
abstract class Workload {
    static final Object GO = new Object(), PILL = new Object();

    private CountDownLatch left;
    private String wrong = "";

    /** How many actors end. */
    abstract int actors();

    /** As actorlab counts them. */
    abstract long messages();

    /** Create the actors, and send the first messages. */
    abstract void start(Executor pool);

    abstract void check();

    final void run(Executor pool) throws InterruptedException {
        left = new CountDownLatch(actors());
        start(pool);
        left.await();
    }

    final void ended() {
        left.countDown();
    }

    final void expect(String what, long got, long right) {
        if (got != right && wrong.isEmpty())
            wrong = got + " " + what + " instead of " + right;
    }

    /** What was wrong with the answer, or "". */
    final String wrong() {
        check();
        return wrong;
    }
}
