package dev.telar.proxy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/** Asks the remote system on the request's own thread, or on a pool's: as `proxy.how` says. */
@RestController
class MovieController {

    private static final int POOL = 200;

    private final RestClient client =
            RestClient.builder()
                    // Of the JDK: it waits on the thread that asks, and on no other.
                    .requestFactory(new SimpleClientHttpRequestFactory())
                    .baseUrl(Remote.base())
                    .build();
    private final How how;

    MovieController(@Value("${proxy.how}") How how) {
        this.how = how;
    }

    /** At once: what ends the start, and opens connections. */
    @GetMapping("/")
    Movie up() {
        return new Movie(0, "none", 0);
    }

    @GetMapping("/movies/{id}")
    Object movie(
            @PathVariable("id") long id,
            @RequestParam(name = "delay", defaultValue = "0") long delay) {
        return switch (how) {
            case DIRECT -> Movie.of(id, asked(delay));
            case FUTURES -> later(id, delay);
        };
    }

    private Remote asked(long delay) {
        return client.get().uri("/remote?millis={delay}", delay).retrieve().body(Remote.class);
    }

    /**
     * The classic concurrent style: two steps, the first of which waits on a thread of a bounded
     * pool.
     */
    private CompletionStage<Movie> later(long id, long delay) {
        return CompletableFuture.supplyAsync(() -> asked(delay), Pool.THREADS)
                .thenApply(answer -> Movie.of(id, answer));
    }

    enum How {
        DIRECT,
        FUTURES
    }

    /** Made when it is first used: a service that asks directly has no such threads. */
    private static final class Pool {
        static final ExecutorService THREADS = Executors.newFixedThreadPool(POOL);
    }
}
