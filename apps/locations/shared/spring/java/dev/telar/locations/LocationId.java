package dev.telar.locations;

import java.util.regex.Pattern;

/** An id in a path. What can't be one is the id of nothing. */
final class LocationId {

    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,17}");

    private LocationId() {}

    static long parse(String id) {
        if (!NUMBER.matcher(id).matches()) {
            throw new LocationNotFoundException();
        }
        return Long.parseLong(id);
    }
}
