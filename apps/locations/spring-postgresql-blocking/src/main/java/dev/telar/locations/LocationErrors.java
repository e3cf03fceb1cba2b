package dev.telar.locations;

import static org.springframework.http.HttpStatus.BAD_REQUEST;
import static org.springframework.http.HttpStatus.NOT_FOUND;

import java.util.stream.Collectors;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Each way a request can fail, and what is answered. */
@RestControllerAdvice
class LocationErrors {

    @ExceptionHandler
    ResponseEntity<Problem> noLocation(LocationNotFoundException e) {
        return Problem.of(NOT_FOUND, e.getMessage());
    }

    @ExceptionHandler
    ResponseEntity<Problem> unreadable(HttpMessageNotReadableException e) {
        return Problem.of(BAD_REQUEST, "The request body is not a valid location.");
    }

    @ExceptionHandler
    ResponseEntity<Problem> invalid(MethodArgumentNotValidException e) {
        String failures =
                e.getFieldErrors().stream()
                        .map(error -> error.getField() + " " + error.getDefaultMessage())
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining("; "));
        return Problem.of(BAD_REQUEST, failures);
    }
}
