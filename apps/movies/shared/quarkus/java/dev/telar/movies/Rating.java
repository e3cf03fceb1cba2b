package dev.telar.movies;

import jakarta.validation.constraints.NotNull;
import org.hibernate.validator.constraints.Range;

/** The body of {@code PATCH /movies/{id}/rating}. */
public record Rating(
        @NotNull(message = OUT_OF_RANGE) @Range(min = 0, max = 10, message = OUT_OF_RANGE)
                Double rating) {

    private static final String OUT_OF_RANGE = "must be from 0 to 10";
}
