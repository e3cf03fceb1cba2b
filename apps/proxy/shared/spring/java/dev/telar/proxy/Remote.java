package dev.telar.proxy;

/** What the remote system answers: the milliseconds that it was asked to take. */
public record Remote(long millis) {

    /** Where it is. */
    public static String base() {
        return "http://127.0.0.1:" + System.getenv("REMOTE_PORT");
    }
}
