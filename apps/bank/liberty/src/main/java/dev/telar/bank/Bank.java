package dev.telar.bank;

import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.atomic.AtomicLongArray;

/** Accounts in memory, and a remote system that is asked about each of them. */
final class Bank {
    private static final int ACCOUNTS = 10_000;
    private static final long BEGUN_WITH = 100_000;
    private static final AtomicLongArray CENTS = new AtomicLongArray(ACCOUNTS + 1);

    static {
        for (int id = 1; id <= ACCOUNTS; id++) {
            CENTS.set(id, BEGUN_WITH);
        }
    }

    private Bank() {}

    /** Some work, and no remote system is asked. */
    static Response ping() {
        return Response.ok("{\"ping\":\"pong\"}").build();
    }

    /** The account once the remote system has answered, after {@code delay} milliseconds. */
    static Response account(int id, int delay) {
        if (id < 1 || id > ACCOUNTS) {
            return Response.status(Response.Status.NOT_FOUND).build();
        }
        Remote.ask(delay);
        return Response.ok(json(id)).build();
    }

    /** Moves an amount, in cents, to the next account, once the remote system has agreed. */
    static Response transfer(int id, int delay, String amount) {
        if (id < 1 || id >= ACCOUNTS) {
            return Response.status(Response.Status.NOT_FOUND).build();
        }
        long cents;
        try {
            cents = Long.parseLong(amount);
        } catch (NumberFormatException error) {
            return Response.status(Response.Status.BAD_REQUEST).build();
        }
        Remote.ask(delay);
        CENTS.addAndGet(id, -cents);
        CENTS.addAndGet(id + 1, cents);
        // By its name: created() makes it absolute on a thread that knows the request, and a
        // virtual one that got it handed doesn't.
        return Response.status(Response.Status.CREATED)
                .header(HttpHeaders.LOCATION, "/accounts/" + (id + 1))
                .entity(json(id))
                .build();
    }

    private static String json(int id) {
        return "{\"id\":" + id + ",\"owner\":\"Owner " + id + "\",\"cents\":" + CENTS.get(id) + "}";
    }
}
