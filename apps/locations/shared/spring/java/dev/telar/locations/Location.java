package dev.telar.locations;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import org.hibernate.validator.constraints.Range;
import org.springframework.data.annotation.Id;

/**
 * A row of the table location, and what clients send and see. Their id is a number that we give and
 * never take.
 */
record Location(
        @Id @JsonProperty(access = Access.READ_ONLY) Long id,
        @NotBlank(message = NAME) @Size(max = 255, message = NAME) String name,
        @Size(max = 2000) String description,
        @NotNull(message = LATITUDE) @Range(min = -90, max = 90, message = LATITUDE)
                Double latitude,
        @NotNull(message = LONGITUDE) @Range(min = -180, max = 180, message = LONGITUDE)
                Double longitude) {

    private static final String NAME = "must have 1 to 255 characters";
    private static final String LATITUDE = "must be from -90 to 90";
    private static final String LONGITUDE = "must be from -180 to 180";

    Location withId(Long id) {
        return new Location(id, name, description, latitude, longitude);
    }
}
