package dev.telar.movies;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.PositiveOrZero;
import jakarta.validation.constraints.Size;
import org.hibernate.validator.constraints.Range;
import org.springframework.data.annotation.Id;

/**
 * A row of the table movie, and what clients send and see. Their id is an opaque string that we
 * give and never take. Messages are in ValidationMessages.properties.
 */
record Movie(
        @Id @JsonProperty(access = Access.READ_ONLY) @JsonFormat(shape = JsonFormat.Shape.STRING)
                Long id,
        @NotBlank(message = TITLE) @Size(max = 255, message = TITLE) String title,
        @Range(min = 1888, max = 2100) Integer releasedYear,
        @Size(max = 16) String certificate,
        @Range(min = 1, max = 1000) Integer runtimeMinutes,
        @Size(max = 255) String genre,
        @Range(min = 0, max = 10) Double rating,
        @Size(max = 2000) String overview,
        @Range(min = 0, max = 100) Integer metaScore,
        @Size(max = 255) String director,
        @Size(max = 255) String star1,
        @Size(max = 255) String star2,
        @Size(max = 255) String star3,
        @Size(max = 255) String star4,
        @PositiveOrZero Integer votes,
        @PositiveOrZero Long gross,
        @Size(max = 512) String posterUrl) {

    private static final String TITLE = "must have 1 to 255 characters";

    Movie withId(long id) {
        return new Movie(
                id,
                title,
                releasedYear,
                certificate,
                runtimeMinutes,
                genre,
                rating,
                overview,
                metaScore,
                director,
                star1,
                star2,
                star3,
                star4,
                votes,
                gross,
                posterUrl);
    }

    Movie withRating(double rating) {
        return new Movie(
                id,
                title,
                releasedYear,
                certificate,
                runtimeMinutes,
                genre,
                rating,
                overview,
                metaScore,
                director,
                star1,
                star2,
                star3,
                star4,
                votes,
                gross,
                posterUrl);
    }
}
