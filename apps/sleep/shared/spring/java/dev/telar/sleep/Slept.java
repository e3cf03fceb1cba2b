package dev.telar.sleep;

/** What every request is answered with. */
record Slept(long millis) {}
