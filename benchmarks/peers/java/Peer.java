// SPDX-License-Identifier: MIT

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

/**
 * peer-java: actorlab's workloads on the standard library of Java, with the protocol of
 * docs/reference/peers.md. An actor is a queue that a fork-join pool in asynchronous mode runs.
 */
public final class Peer {
    private Peer() {
    }

    private static Workload make(Settings settings) {
        switch (settings.benchmark) {
        case "send-static":
            return new Chapter.SendStatic(settings);
        case "send-dynamic":
            return new Chapter.SendDynamic(settings);
        case "executor":
            return new Chapter.Executor(settings);
        case "repeat":
            return new Chapter.Repeat(settings);
        case "big":
            return new Las.Big(settings);
        case "bang":
            return new Las.Bang(settings);
        default:
            throw new Settings.UsageError("no workload '" + settings.benchmark + "' here");
        }
    }

    private static long peakRssBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status")))
            if (line.startsWith("VmHWM:"))
                return 1024 * Long.parseLong(line.split("\\s+")[1]);
        return 0;
    }

    /** A pool whose threads have all started: starting the system is not timed. */
    private static ForkJoinPool newPool(Settings settings) {
        int workers = (int) settings.workers();
        ForkJoinPool pool = new ForkJoinPool(workers,
                ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
        CountDownLatch started = new CountDownLatch(workers);
        for (int i = 0; i < workers; i++)
            pool.execute(() -> {
                started.countDown();
                try {
                    started.await(); // so that each takes a thread of its own
                } catch (InterruptedException error) {
                    throw new IllegalStateException(error);
                }
            });
        return pool;
    }

    /** Prints the record; returns the exit code. */
    private static int measure(Settings settings) throws IOException, InterruptedException {
        List<String> times = new ArrayList<>();
        String wrong = "";
        long messages = 0;
        for (long i = 0; i < settings.warmup() + settings.iterations() && wrong.isEmpty(); i++) {
            Workload workload = make(settings);
            settings.refuseUnused();
            messages = workload.messages();
            ForkJoinPool pool = newPool(settings);
            System.gc(); // the garbage of the iteration before is not this one's
            long began = System.nanoTime();
            workload.run(pool);
            long time = System.nanoTime() - began;
            pool.shutdown();
            pool.awaitTermination(60, TimeUnit.SECONDS);
            wrong = workload.wrong();
            if (i >= settings.warmup() && wrong.isEmpty())
                times.add(Long.toString(time));
        }
        System.out.println("{\"benchmark\": \"" + settings.benchmark + "\", \"parameters\": "
                + settings.json() + ", \"workers\": " + settings.workers() + ", \"time_ns\": ["
                + String.join(", ", times) + "], \"messages\": " + messages
                + ", \"peak_rss_bytes\": " + peakRssBytes() + ", \"version\": \"Java "
                + System.getProperty("java.version") + "\", \"outcome\": \""
                + (wrong.isEmpty() ? "ok\"" : "wrong\", \"error\": \"" + wrong + '"') + '}');
        return wrong.isEmpty() ? 0 : 1;
    }

    public static void main(String[] arguments) throws Exception {
        try {
            System.exit(measure(new Settings(arguments)));
        } catch (Settings.UsageError error) {
            System.err.println("peer-java: " + error.getMessage());
            System.exit(2);
        }
    }
}
