package dev.telar.movies;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

/** A movie as clients see it: one flat object, its id an opaque string. */
record MovieJson(String id, @JsonUnwrapped MovieDetails details) {

    static MovieJson of(Movie movie) {
        return new MovieJson(movie.id().toString(), movie.details());
    }
}
