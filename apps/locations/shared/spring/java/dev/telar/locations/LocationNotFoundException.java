package dev.telar.locations;

/** No location has the id asked for. An everyday answer, so it carries no stack trace. */
class LocationNotFoundException extends RuntimeException {

    private static final long serialVersionUID = 1;

    LocationNotFoundException() {
        super("No location with this id.", null, false, false);
    }
}
