package dev.telar.movies;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.quarkus.mongodb.panache.common.MongoEntity;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.PositiveOrZero;
import jakarta.validation.constraints.Size;
import org.bson.types.ObjectId;
import org.hibernate.validator.constraints.Range;

/** A document of the collection {@code movies}, and the body of the API. */
@MongoEntity(collection = "movies")
@JsonPropertyOrder({
    "id",
    "title",
    "releasedYear",
    "certificate",
    "runtimeMinutes",
    "genre",
    "rating",
    "overview",
    "metaScore",
    "director",
    "star1",
    "star2",
    "star3",
    "star4",
    "votes",
    "gross",
    "posterUrl"
})
public class Movie {

    private static final String TITLE_LENGTH = "must have 1 to 255 characters";
    private static final String LENGTH = "must have at most {max} characters";
    private static final String RANGE = "must be from {min} to {max}";
    private static final String NOT_NEGATIVE = "must be at least 0";

    /** The document's {@code _id}. Opaque to clients: text in JSON, and never read from a body. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public ObjectId id;

    @NotBlank(message = TITLE_LENGTH) @Size(max = 255, message = TITLE_LENGTH) public String title;

    @Range(min = 1888, max = 2100, message = RANGE)
    public Integer releasedYear;

    @Size(max = 16, message = LENGTH) public String certificate;

    @Range(min = 1, max = 1000, message = RANGE)
    public Integer runtimeMinutes;

    @Size(max = 255, message = LENGTH) public String genre;

    @Range(min = 0, max = 10, message = RANGE)
    public Double rating;

    @Size(max = 2000, message = LENGTH) public String overview;

    @Range(min = 0, max = 100, message = RANGE)
    public Integer metaScore;

    @Size(max = 255, message = LENGTH) public String director;

    @Size(max = 255, message = LENGTH) public String star1;

    @Size(max = 255, message = LENGTH) public String star2;

    @Size(max = 255, message = LENGTH) public String star3;

    @Size(max = 255, message = LENGTH) public String star4;

    @PositiveOrZero(message = NOT_NEGATIVE) public Integer votes;

    @PositiveOrZero(message = NOT_NEGATIVE) public Long gross;

    @Size(max = 512, message = LENGTH) public String posterUrl;
}
