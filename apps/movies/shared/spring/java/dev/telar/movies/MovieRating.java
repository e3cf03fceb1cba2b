package dev.telar.movies;

import jakarta.validation.constraints.NotNull;
import org.hibernate.validator.constraints.Range;

/** The body of a new rating. */
record MovieRating(
        @NotNull(message = "must be from 0 to 10") @Range(min = 0, max = 10) Double rating) {}
