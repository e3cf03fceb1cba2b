package dev.telar.movies;

/** The page parameter is no page number. */
class InvalidPageException extends RuntimeException {

    private static final long serialVersionUID = 1;

    InvalidPageException() {
        super("page must be a whole number from 0 to 1000000.", null, false, false);
    }
}
