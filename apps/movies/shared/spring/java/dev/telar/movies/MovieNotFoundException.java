package dev.telar.movies;

/** No movie has the id asked for. An everyday answer, so it carries no stack trace. */
class MovieNotFoundException extends RuntimeException {

    private static final long serialVersionUID = 1;

    MovieNotFoundException() {
        super("No movie with this id.", null, false, false);
    }
}
