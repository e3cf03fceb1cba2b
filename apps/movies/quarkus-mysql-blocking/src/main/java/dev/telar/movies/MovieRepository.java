package dev.telar.movies;

import io.quarkus.hibernate.orm.panache.PanacheRepository;
import io.quarkus.panache.common.Sort;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

@ApplicationScoped
public class MovieRepository implements PanacheRepository<Movie> {

    private static final int PAGE_SIZE = 20;

    List<Movie> page(int number) {
        return findAll(Sort.by("id")).page(number, PAGE_SIZE).list();
    }

    /** One statement; {@code deleteById} would read the row first. */
    boolean deleteRow(long id) {
        return delete("id", id) == 1;
    }
}
