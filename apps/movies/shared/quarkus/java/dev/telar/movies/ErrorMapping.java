package dev.telar.movies;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.ElementKind;
import jakarta.validation.Path;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.NotSupportedException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Request;
import jakarta.ws.rs.core.Response;
import java.util.stream.Collectors;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Turns what Quarkus throws about a request body into the contract's problems. */
class ErrorMapping {

    @ServerExceptionMapper
    Response wrongShape(MismatchedInputException e, Request request) {
        return unreadable(request);
    }

    /**
     * Broken JSON arrives wrapped; everything else, such as an unknown path, keeps the framework's
     * answer.
     */
    @ServerExceptionMapper
    Response brokenJson(WebApplicationException e, Request request) {
        return e.getCause() instanceof JsonProcessingException
                ? unreadable(request)
                : e.getResponse();
    }

    /** Whoever sends no body names no media type either. */
    @ServerExceptionMapper
    Response noBody(NotSupportedException e, Request request, HttpHeaders headers) {
        return headers.getMediaType() == null ? unreadable(request) : e.getResponse();
    }

    @ServerExceptionMapper
    Response invalid(ConstraintViolationException e, Request request) {
        if (e.getConstraintViolations().stream().anyMatch(ErrorMapping::isMissingBody)) {
            return unreadable(request);
        }
        return Problem.badRequest(
                e.getConstraintViolations().stream()
                        .map(violation -> leaf(violation).getName() + " " + violation.getMessage())
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining("; ")));
    }

    private static Response unreadable(Request request) {
        String body = request.getMethod().equals(HttpMethod.PATCH) ? "rating" : "movie";
        return Problem.badRequest("The request body is not a valid " + body + ".");
    }

    /**
     * A violation of the parameter itself, and not of a field in it, can only be its
     * {@code @NotNull}.
     */
    private static boolean isMissingBody(ConstraintViolation<?> violation) {
        return leaf(violation).getKind() == ElementKind.PARAMETER;
    }

    private static Path.Node leaf(ConstraintViolation<?> violation) {
        Path.Node leaf = null;
        for (Path.Node node : violation.getPropertyPath()) {
            leaf = node;
        }
        return leaf;
    }
}
