package dev.telar.loom

import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.BenchmarkMode
import org.openjdk.jmh.annotations.Fork
import org.openjdk.jmh.annotations.Mode
import org.openjdk.jmh.annotations.OutputTimeUnit
import org.openjdk.jmh.annotations.Param
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State
import org.openjdk.jmh.infra.Blackhole

/** A thread for each task, of the operating system or virtual: all started, all waited for. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@State(Scope.Thread)
@Fork(1)
open class ThreadVsLoom {
    @Param("10", "100", "1000", "10000")
    @JvmField
    var repeat: Int = 0

    /** Milliseconds that each task sleeps. */
    @Param("0", "10", "100")
    @JvmField
    var delay: Long = 0

    @Benchmark
    open fun traditionalThreads(blackhole: Blackhole) {
        (0 until repeat)
            .map { i ->
                thread {
                    Thread.sleep(delay)
                    blackhole.consume(i)
                }
            }
            .forEach { it.join() }
    }

    @Benchmark
    open fun virtualThreads(blackhole: Blackhole) {
        (0 until repeat)
            .map { i ->
                Thread.startVirtualThread {
                    Thread.sleep(delay)
                    blackhole.consume(i)
                }
            }
            .forEach { it.join() }
    }
}
