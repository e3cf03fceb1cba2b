package dev.telar.movies;

import static org.springframework.data.mongodb.core.mapping.Field.Write.ALWAYS;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.PositiveOrZero;
import jakarta.validation.constraints.Size;
import org.hibernate.validator.constraints.Range;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;
import org.springframework.data.mongodb.core.mapping.Field;

/**
 * A document of the collection movies, and what clients send and see. Their id is an opaque string
 * that we give and never take. A field without a value is stored as null, not left out. Messages
 * are in ValidationMessages.properties.
 */
@Document("movies")
record Movie(
        @Id @JsonProperty(access = Access.READ_ONLY) String id,
        @NotBlank(message = TITLE) @Size(max = 255, message = TITLE) String title,
        @Field(write = ALWAYS) @Range(min = 1888, max = 2100) Integer releasedYear,
        @Field(write = ALWAYS) @Size(max = 16) String certificate,
        @Field(write = ALWAYS) @Range(min = 1, max = 1000) Integer runtimeMinutes,
        @Field(write = ALWAYS) @Size(max = 255) String genre,
        @Field(write = ALWAYS) @Range(min = 0, max = 10) Double rating,
        @Field(write = ALWAYS) @Size(max = 2000) String overview,
        @Field(write = ALWAYS) @Range(min = 0, max = 100) Integer metaScore,
        @Field(write = ALWAYS) @Size(max = 255) String director,
        @Field(write = ALWAYS) @Size(max = 255) String star1,
        @Field(write = ALWAYS) @Size(max = 255) String star2,
        @Field(write = ALWAYS) @Size(max = 255) String star3,
        @Field(write = ALWAYS) @Size(max = 255) String star4,
        @Field(write = ALWAYS) @PositiveOrZero Integer votes,
        @Field(write = ALWAYS) @PositiveOrZero Long gross,
        @Field(write = ALWAYS) @Size(max = 512) String posterUrl) {

    private static final String TITLE = "must have 1 to 255 characters";
}
