package dev.telar.movies;

import java.util.regex.Pattern;
import org.bson.types.ObjectId;

/** Reads path and query parameters: JAX-RS would answer a malformed one with an empty 404. */
final class Parameters {

    /**
     * As we write it, so that no movie answers under two names: {@link ObjectId} takes capitals,
     * too.
     */
    private static final Pattern ID = Pattern.compile("[0-9a-f]{24}");

    private static final Pattern PAGE = Pattern.compile("[0-9]{1,7}");
    private static final int LAST_PAGE = 1_000_000;

    private Parameters() {}

    static ObjectId id(String text) {
        if (!ID.matcher(text).matches()) {
            throw Problem.noSuchMovie();
        }
        return new ObjectId(text);
    }

    /** The first page without a parameter; an empty one is no number. */
    static int page(String text) {
        return text == null ? 0 : pageNumber(text);
    }

    private static int pageNumber(String text) {
        if (!PAGE.matcher(text).matches() || Integer.parseInt(text) > LAST_PAGE) {
            throw Problem.badPage(LAST_PAGE);
        }
        return Integer.parseInt(text);
    }
}
