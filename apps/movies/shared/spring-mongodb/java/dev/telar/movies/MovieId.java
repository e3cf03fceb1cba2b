package dev.telar.movies;

import java.util.regex.Pattern;

/** Ids in paths: ObjectIds as we write them, so that no movie answers under two names. */
final class MovieId {

    private static final Pattern ID = Pattern.compile("[0-9a-f]{24}");

    private MovieId() {}

    static String parse(String id) {
        if (!ID.matcher(id).matches()) {
            throw new MovieNotFoundException();
        }
        return id;
    }
}
