package dev.telar.locations;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/** The body of an error (RFC 9457). Not Spring's ProblemDetail, which adds the request's path. */
record Problem(String type, String title, int status, String detail) {

    static ResponseEntity<Problem> of(HttpStatus status, String detail) {
        return ResponseEntity.status(status)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(new Problem("about:blank", status.getReasonPhrase(), status.value(), detail));
    }
}
