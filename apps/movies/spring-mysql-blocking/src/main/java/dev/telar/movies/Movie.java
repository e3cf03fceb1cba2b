package dev.telar.movies;

import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;

/** A row of the table movie. */
@Entity
class Movie {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private Long id;

    @Embedded private MovieDetails details;

    /** For Hibernate. */
    protected Movie() {}

    Movie(MovieDetails details) {
        this.details = details;
    }

    Long id() {
        return id;
    }

    MovieDetails details() {
        return details;
    }

    void replace(MovieDetails details) {
        this.details = details;
    }

    void rate(double rating) {
        details = details.withRating(rating);
    }
}
