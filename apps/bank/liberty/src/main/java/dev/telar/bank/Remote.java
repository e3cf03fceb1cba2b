package dev.telar.bank;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;

/**
 * The remote system, asked by the thread that needs the answer.
 *
 * <p>{@code java.net.http} would wait on threads of its own: then a virtual thread and one of the
 * pool would be helped by the same platform threads, and the comparison would be of something else.
 */
final class Remote {
    private static final String BASE =
            "http://127.0.0.1:" + System.getenv("REMOTE_PORT") + "/remote?millis=";

    private Remote() {}

    static void ask(int delay) {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) URI.create(BASE + delay).toURL().openConnection();
            try (InputStream answer = connection.getInputStream()) {
                answer.readAllBytes(); // whole, so that the connection is used again
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
