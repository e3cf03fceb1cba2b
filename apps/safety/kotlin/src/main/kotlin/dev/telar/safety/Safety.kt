package dev.telar.safety

import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.newSingleThreadContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import kotlinx.coroutines.withContext

const val REPETITIONS = 10_000
const val DELAY_MS = 10L

/**
 * Ways of counting to [REPETITIONS] in as many coroutines. All but [CONTROL] run them on virtual threads, so on several
 * processors at once: what isn't safe there loses updates.
 */
enum class Strategy(private val onVirtualThreads: Boolean, private val count: (CoroutineContext?) -> Int) {
    CONTROL(false, { atomic(null) }),
    NAIVE(true, ::naive),
    ATOMIC(true, ::atomic),
    CONFINEMENT(true, ::confinement),
    MUTEX(true, ::mutex);

    /** What the counter holds in the end. */
    fun round(): Int {
        if (!onVirtualThreads) return count(null)
        return Executors.newVirtualThreadPerTaskExecutor().use { count(it.asCoroutineDispatcher()) }
    }
}

private fun naive(context: CoroutineContext?): Int {
    var counter = 0
    each(context) {
        delay(DELAY_MS)
        counter++
    }
    return counter
}

private fun atomic(context: CoroutineContext?): Int {
    val counter = AtomicInteger(0)
    each(context) {
        delay(DELAY_MS)
        counter.incrementAndGet()
    }
    return counter.get()
}

@OptIn(kotlinx.coroutines.DelicateCoroutinesApi::class, kotlinx.coroutines.ExperimentalCoroutinesApi::class)
private fun confinement(context: CoroutineContext?): Int {
    var counter = 0
    newSingleThreadContext("counter").use { own ->
        each(context) { withContext(own) { counter++ } }
    }
    return counter
}

private fun mutex(context: CoroutineContext?): Int {
    val mutex = Mutex()
    var counter = 0
    each(context) { mutex.withLock { counter++ } }
    return counter
}

private fun each(context: CoroutineContext?, body: suspend () -> Unit) {
    val start: suspend kotlinx.coroutines.CoroutineScope.() -> Unit = { repeat(REPETITIONS) { launch { body() } } }
    if (context == null) runBlocking(block = start) else runBlocking(context, start)
}

/**
 * Takes a strategy and `rounds=NUMBER`. Prints a line for each round: what the counter holds, and what it should; then, as JSON, in
 * how many rounds updates were lost.
 */
fun main(arguments: Array<String>) {
    val strategy = Strategy.valueOf(arguments[0].uppercase())
    val rounds = arguments[1].removePrefix("rounds=").toInt()
    val lost =
        (1..rounds).count {
            val counted = strategy.round()
            println("$counted of $REPETITIONS")
            counted != REPETITIONS
        }
    println("""{"rounds-lost": $lost}""")
}
