package dev.telar.sleep;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** How long an answer is waited for, in milliseconds: as a request says, or four seconds. */
final class Pause {

    static final String DEFAULT = "4000";

    private static final long LONGEST = 60_000;

    private Pause() {}

    /** The same, or 400. */
    static long checked(long millis) {
        if (millis < 0 || millis > LONGEST) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST);
        }
        return millis;
    }

    /** On the thread that asks. Thread.sleep(0) would still give up the processor. */
    static void hold(long millis) throws InterruptedException {
        if (millis > 0) {
            Thread.sleep(millis);
        }
    }
}
