package dev.telar.loom

import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.ExecutorCoroutineDispatcher
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.BenchmarkMode
import org.openjdk.jmh.annotations.Fork
import org.openjdk.jmh.annotations.Level
import org.openjdk.jmh.annotations.Mode
import org.openjdk.jmh.annotations.OutputTimeUnit
import org.openjdk.jmh.annotations.Param
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.Setup
import org.openjdk.jmh.annotations.State
import org.openjdk.jmh.annotations.TearDown
import org.openjdk.jmh.infra.Blackhole

/** A task each on a virtual thread, in a coroutine of one thread, or in a coroutine on virtual threads. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@State(Scope.Thread)
@Fork(1)
open class LoomVsCoroutines {
    @Param("10", "100", "1000", "10000", "100000")
    @JvmField
    var repeat: Int = 0

    /** Milliseconds that each task waits. */
    @Param("0", "10", "100")
    @JvmField
    var delay: Long = 0

    private lateinit var executorService: ExecutorService
    private lateinit var dispatcher: ExecutorCoroutineDispatcher

    @Setup(Level.Iteration)
    open fun setup() {
        executorService = Executors.newVirtualThreadPerTaskExecutor()
        dispatcher = executorService.asCoroutineDispatcher()
    }

    @TearDown(Level.Iteration)
    open fun teardown() {
        executorService.close()
    }

    @Benchmark
    open fun loom(blackhole: Blackhole) {
        (0 until repeat)
            .map { i ->
                executorService.submit {
                    Thread.sleep(delay)
                    blackhole.consume(i)
                }
            }
            .forEach { it.get() }
    }

    @Benchmark
    open fun coroutines(blackhole: Blackhole) {
        runBlocking {
            (0 until repeat)
                .map { i ->
                    launch {
                        delay(delay)
                        blackhole.consume(i)
                    }
                }
                .forEach { it.join() }
        }
    }

    @Benchmark
    open fun hybrid(blackhole: Blackhole) {
        runBlocking(dispatcher) {
            (0 until repeat)
                .map { i ->
                    launch {
                        delay(delay)
                        blackhole.consume(i)
                    }
                }
                .forEach { it.join() }
        }
    }
}
