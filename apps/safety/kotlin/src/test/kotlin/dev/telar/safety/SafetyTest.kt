package dev.telar.safety

import java.util.concurrent.Executors
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Assumptions.assumeTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource

private const val ROUNDS = 20

private const val TASKS = 8
private const val INCREMENTS = 5_000_000

class SafetyTest {
    @ParameterizedTest
    @EnumSource(names = ["NAIVE"], mode = EnumSource.Mode.EXCLUDE)
    fun `no update is lost by a strategy that is safe`(strategy: Strategy) {
        assertEquals(List(ROUNDS) { REPETITIONS }, List(ROUNDS) { strategy.round() })
    }

    /**
     * Not by [Strategy.NAIVE], whose rounds come out whole most times on two processors: its coroutines seldom count at the same
     * moment. These do little else.
     */
    @Test
    fun `a counter that is not atomic loses updates on virtual threads`() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "one processor runs one virtual thread at a time")
        val shared = Shared()
        Executors.newVirtualThreadPerTaskExecutor().use { threads ->
            repeat(TASKS) { threads.execute { repeat(INCREMENTS) { shared.counter++ } } }
        }
        assertTrue(shared.counter < TASKS * INCREMENTS)
    }

    /** Volatile, so that the loop isn't compiled to one addition. */
    private class Shared {
        @Volatile var counter = 0
    }
}
