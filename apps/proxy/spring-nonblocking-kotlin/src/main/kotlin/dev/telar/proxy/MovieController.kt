package dev.telar.proxy

import org.springframework.web.bind.annotation.GetMapping
import org.springframework.web.bind.annotation.PathVariable
import org.springframework.web.bind.annotation.RequestParam
import org.springframework.web.bind.annotation.RestController
import org.springframework.web.reactive.function.client.awaitBody

/** Asks the remote system in a coroutine, which waits on no thread. */
@RestController
class MovieController {
    private val client = Client.create()

    /** At once: what ends the start, and opens connections. */
    @GetMapping("/")
    suspend fun up(): Movie = Movie(0, "none", 0)

    @GetMapping("/movies/{id}")
    suspend fun movie(
        @PathVariable("id") id: Long,
        @RequestParam(name = "delay", defaultValue = "0") delay: Long,
    ): Movie = Movie.of(id, client.get().uri("/remote?millis={delay}", delay).retrieve().awaitBody<Remote>())
}
