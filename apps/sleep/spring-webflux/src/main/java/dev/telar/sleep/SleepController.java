package dev.telar.sleep;

import java.time.Duration;
import java.util.function.LongFunction;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Waits on no thread, or on the event loop itself: as `sleep.how` says. */
@RestController
class SleepController {

    private final LongFunction<Mono<Slept>> wait;

    SleepController(@Value("${sleep.how}") How how) {
        wait =
                switch (how) {
                    case DELAY -> SleepController::delayed;
                    case BLOCKING -> millis -> Mono.fromSupplier(() -> blocked(millis));
                };
    }

    /** At once: what ends the start, and opens connections. */
    @GetMapping("/")
    Mono<Slept> up() {
        return Mono.just(new Slept(0));
    }

    @GetMapping("/op")
    Mono<Slept> op(@RequestParam(name = "millis", defaultValue = Pause.DEFAULT) long millis) {
        return wait.apply(Pause.checked(millis));
    }

    private static Mono<Slept> delayed(long millis) {
        Mono<Slept> slept = Mono.just(new Slept(millis));
        return millis > 0 ? Mono.delay(Duration.ofMillis(millis)).then(slept) : slept;
    }

    private static Slept blocked(long millis) {
        try {
            Pause.hold(millis);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return new Slept(millis);
    }

    enum How {
        DELAY,
        BLOCKING
    }
}
