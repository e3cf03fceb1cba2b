package dev.telar.sleep;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Holds its thread while it waits, whichever kind of thread that is. */
@RestController
class SleepController {

    private static final long PAUSE = 4_000;

    /** At once: what ends the start, and opens connections. */
    @GetMapping("/")
    Slept up() {
        return new Slept(0);
    }

    @GetMapping("/op")
    Slept op() throws InterruptedException {
        Thread.sleep(PAUSE);
        return new Slept(PAUSE);
    }
}
