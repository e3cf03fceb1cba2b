package dev.telar.movies;

import java.util.regex.Pattern;
import org.springframework.data.domain.PageRequest;
import org.springframework.data.domain.Pageable;
import org.springframework.data.domain.Sort;

/** Pages of 20 movies in the order of their ids, counted from 0. */
final class MoviePage {

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,7}");
    private static final int LAST = 1_000_000;
    private static final int SIZE = 20;
    private static final Sort ORDER = Sort.by("id");

    private MoviePage() {}

    static Pageable parse(String page) {
        return PageRequest.of(page == null ? 0 : number(page), SIZE, ORDER);
    }

    private static int number(String page) {
        if (!NUMBER.matcher(page).matches()) {
            throw new InvalidPageException();
        }
        int number = Integer.parseInt(page);
        if (number > LAST) {
            throw new InvalidPageException();
        }
        return number;
    }
}
