package dev.telar.movies;

import java.util.regex.Pattern;

/** Ids in paths: decimal numbers as we write them, so that no movie answers under two names. */
final class MovieId {

    private static final Pattern ID = Pattern.compile("[1-9][0-9]{0,17}");

    private MovieId() {}

    static long parse(String id) {
        if (!ID.matcher(id).matches()) {
            throw new MovieNotFoundException();
        }
        return Long.parseLong(id);
    }
}
