package dev.telar.burner;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import jdk.jfr.consumer.RecordingStream;

/**
 * Tasks that do nothing but compute, on virtual threads, in a ForkJoinPool, or on a fixed pool of
 * as many threads as there are processors.
 *
 * <p>Takes the kind of threads, {@code steps=NUMBER} (of a task) and {@code seconds=NUMBER} (of the
 * measured stretch; half as long it warms up). Prints, as JSON, the tasks by the second, what each
 * cost in processor time, and how long the pool's threads were parked.
 */
public final class Burner {
    private static final int AT_ONCE = 1_000;
    private static final long MULTIPLIER = 6364136223846793005L;
    private static final Map<String, String> WORKERS =
            Map.of("virtual", "ForkJoinPool-", "forkjoin", "ForkJoinPool-", "fixed", "pool-");

    private final ExecutorService executor;
    private final int steps;
    private final LongAdder results = new LongAdder();

    private Burner(ExecutorService executor, int steps) {
        this.executor = executor;
        this.steps = steps;
    }

    public static void main(String[] arguments) throws InterruptedException {
        String kind = arguments[0];
        int seconds = 0;
        int steps = 0;
        for (String argument : arguments) {
            if (argument.startsWith("seconds=")) {
                seconds = Integer.parseInt(argument.substring("seconds=".length()));
            } else if (argument.startsWith("steps=")) {
                steps = Integer.parseInt(argument.substring("steps=".length()));
            }
        }
        try (ExecutorService executor = executor(kind)) {
            Burner burner = new Burner(executor, steps);
            burner.run(seconds * 500L);
            System.out.println(burner.measured(seconds * 1000L, WORKERS.get(kind)));
        }
    }

    private static ExecutorService executor(String kind) {
        int processors = Runtime.getRuntime().availableProcessors();
        return switch (kind) {
            case "virtual" -> Executors.newVirtualThreadPerTaskExecutor();
            case "forkjoin" -> new ForkJoinPool(processors);
            case "fixed" -> Executors.newFixedThreadPool(processors);
            default -> throw new IllegalArgumentException("no kind of threads: " + kind);
        };
    }

    private String measured(long millis, String workers) throws InterruptedException {
        OperatingSystemMXBean system =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        DoubleAdder parked = new DoubleAdder();
        try (RecordingStream events = new RecordingStream()) {
            events.enable("jdk.ThreadPark").withoutThreshold().withoutStackTrace();
            events.onEvent(
                    "jdk.ThreadPark",
                    event -> {
                        if (event.getThread() != null
                                && event.getThread().getJavaName() != null
                                && event.getThread().getJavaName().startsWith(workers)) {
                            parked.add(event.getDuration().toNanos() / 1e9);
                        }
                    });
            events.startAsync();
            long cpu = system.getProcessCpuTime();
            long start = System.nanoTime();
            long done = run(millis);
            double elapsed = (System.nanoTime() - start) / 1e9;
            double used = (system.getProcessCpuTime() - cpu) / 1e6;
            events.stop();
            System.out.println(done + " tasks, results " + results.sum());
            return String.format(
                    java.util.Locale.ROOT,
                    "{\"task-rate\": %.3f, \"task-cpu\": %.6f, \"parked\": %.6f}",
                    done / elapsed,
                    used / done,
                    parked.sum() / elapsed);
        }
    }

    /** Rounds of tasks that are all submitted at once and waited for; how many in so long. */
    private long run(long millis) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        long done = 0;
        while (System.nanoTime() < until) {
            CountDownLatch left = new CountDownLatch(AT_ONCE);
            for (int task = 0; task < AT_ONCE; task++) {
                int seed = task;
                executor.execute(
                        () -> {
                            results.add(burn(seed, steps));
                            left.countDown();
                        });
            }
            left.await();
            done += AT_ONCE;
        }
        return done;
    }

    /**
     * Each step needs the one before. The shift keeps it so: of steps that only multiply and add,
     * the compiler makes one step of sixteen, since the product of two constants is a constant.
     */
    private static long burn(long seed, int steps) {
        long value = seed;
        for (int step = 0; step < steps; step++) {
            value = (value ^ (value >>> 29)) * MULTIPLIER + 1442695040888963407L;
        }
        return value;
    }
}
