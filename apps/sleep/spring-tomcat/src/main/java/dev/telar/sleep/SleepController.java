package dev.telar.sleep;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Holds its thread while it waits, whichever kind of thread that is. */
@RestController
class SleepController {

    /** At once: what ends the start, and opens connections. */
    @GetMapping("/")
    Slept up() {
        return new Slept(0);
    }

    @GetMapping("/op")
    Slept op(@RequestParam(name = "millis", defaultValue = Pause.DEFAULT) long millis)
            throws InterruptedException {
        Pause.hold(Pause.checked(millis));
        return new Slept(millis);
    }
}
