package dev.telar.proxy;

/** What every request is answered with: a movie, and what the remote system said of it. */
public record Movie(long id, String title, long millis) {

    /** Of the remote system's answer. */
    public static Movie of(long id, Remote remote) {
        return new Movie(id, "Movie " + id, remote.millis());
    }
}
