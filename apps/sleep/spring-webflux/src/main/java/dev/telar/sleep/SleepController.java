package dev.telar.sleep;

import java.time.Duration;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Waits on no thread, or on the event loop itself: as `sleep.how` says. */
@RestController
class SleepController {

    private static final Duration PAUSE = Duration.ofSeconds(4);
    private static final Slept SLEPT = new Slept(PAUSE.toMillis());

    private final Supplier<Mono<Slept>> wait;

    SleepController(@Value("${sleep.how}") How how) {
        wait =
                switch (how) {
                    case DELAY -> () -> Mono.delay(PAUSE).thenReturn(SLEPT);
                    case BLOCKING -> () -> Mono.fromSupplier(SleepController::blocked);
                };
    }

    /** At once: what ends the start, and opens connections. */
    @GetMapping("/")
    Mono<Slept> up() {
        return Mono.just(new Slept(0));
    }

    @GetMapping("/op")
    Mono<Slept> op() {
        return wait.get();
    }

    private static Slept blocked() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return SLEPT;
    }

    enum How {
        DELAY,
        BLOCKING
    }
}
