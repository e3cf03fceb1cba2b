package dev.telar.loom

import java.lang.invoke.MethodHandle
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType.methodType
import java.lang.reflect.Method
import java.util.concurrent.Callable
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.BenchmarkMode
import org.openjdk.jmh.annotations.Fork
import org.openjdk.jmh.annotations.Mode
import org.openjdk.jmh.annotations.OutputTimeUnit
import org.openjdk.jmh.annotations.Param
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State
import org.openjdk.jmh.infra.Blackhole

/**
 * The tasks of [LoomVsCoroutines] as subtasks of one scope. Only a JDK with `StructuredTaskScope` has it, and only with
 * `--enable-preview`.
 *
 * The class is found by name: it is a preview whose shape changed (a constructor in JDK 21, `open()` from JDK 25 on), and
 * one build is measured on all JDKs. Its handles are constants to the compiler, as direct calls are.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@State(Scope.Thread)
@Fork(value = 1, jvmArgsAppend = ["--enable-preview"])
open class StructuredConcurrency {
    @Param("10", "100", "1000", "10000", "100000")
    @JvmField
    var repeat: Int = 0

    /** Milliseconds that each task sleeps. */
    @Param("0", "10", "100")
    @JvmField
    var delay: Long = 0

    @Benchmark
    open fun structured(blackhole: Blackhole) {
        val scope = OPEN.invoke() as AutoCloseable
        scope.use {
            repeat(repeat) { i ->
                val task = Callable {
                    Thread.sleep(delay)
                    blackhole.consume(i)
                }
                FORK.invoke(scope, task)
            }
            JOIN.invoke(scope)
        }
    }
}

private val SCOPE: Class<*> = Class.forName("java.util.concurrent.StructuredTaskScope")

private val OPEN: MethodHandle = opener().asType(methodType(Any::class.java))

private val FORK: MethodHandle =
    handle(SCOPE.getMethod("fork", Callable::class.java))
        .asType(methodType(Any::class.java, Any::class.java, Callable::class.java))

private val JOIN: MethodHandle =
    handle(SCOPE.getMethod("join")).asType(methodType(Any::class.java, Any::class.java))

private fun handle(method: Method): MethodHandle = MethodHandles.publicLookup().unreflect(method)

private fun opener(): MethodHandle {
    val factory = SCOPE.methods.find { it.name == "open" && it.parameterCount == 0 }
    if (factory != null) return handle(factory)
    val older = Class.forName("java.util.concurrent.StructuredTaskScope\$ShutdownOnFailure")
    return MethodHandles.publicLookup().unreflectConstructor(older.getConstructor())
}
