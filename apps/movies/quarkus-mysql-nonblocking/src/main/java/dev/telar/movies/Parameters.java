package dev.telar.movies;

/** Reads path and query parameters: JAX-RS would answer a malformed one with an empty 404. */
final class Parameters {

    private static final int LAST_PAGE = 1_000_000;

    private Parameters() {}

    static long id(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw Problem.noSuchMovie();
        }
    }

    static int page(String text) {
        try {
            int page = Integer.parseInt(text);
            if (page >= 0 && page <= LAST_PAGE) {
                return page;
            }
        } catch (NumberFormatException e) {
            // Answered like a number out of range.
        }
        throw Problem.badPage(LAST_PAGE);
    }
}
