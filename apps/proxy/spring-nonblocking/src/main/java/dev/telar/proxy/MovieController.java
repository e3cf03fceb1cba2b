package dev.telar.proxy;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** Asks the remote system without a thread that waits. */
@RestController
class MovieController {

    private final WebClient client = Client.create();

    /** At once: what ends the start, and opens connections. */
    @GetMapping("/")
    Mono<Movie> up() {
        return Mono.just(new Movie(0, "none", 0));
    }

    @GetMapping("/movies/{id}")
    Mono<Movie> movie(
            @PathVariable("id") long id,
            @RequestParam(name = "delay", defaultValue = "0") long delay) {
        return client.get()
                .uri("/remote?millis={delay}", delay)
                .retrieve()
                .bodyToMono(Remote.class)
                .map(answer -> Movie.of(id, answer));
    }
}
