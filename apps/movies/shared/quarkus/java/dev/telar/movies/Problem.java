package dev.telar.movies;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;

/** The body of every error that the contract knows. */
@JsonPropertyOrder({"type", "title", "status", "detail"})
public record Problem(String type, String title, int status, String detail) {

    private static final String MEDIA_TYPE = "application/problem+json";

    static WebApplicationException noSuchMovie() {
        return new NotFoundException(response(Response.Status.NOT_FOUND, "No movie with this id."));
    }

    static WebApplicationException badPage(int last) {
        return new BadRequestException(
                badRequest("page must be a whole number from 0 to " + last + "."));
    }

    static Response badRequest(String detail) {
        return response(Response.Status.BAD_REQUEST, detail);
    }

    private static Response response(Response.Status status, String detail) {
        Problem problem =
                new Problem(
                        "about:blank", status.getReasonPhrase(), status.getStatusCode(), detail);
        return Response.status(status).type(MEDIA_TYPE).entity(problem).build();
    }
}
