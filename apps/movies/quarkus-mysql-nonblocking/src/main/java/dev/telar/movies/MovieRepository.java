package dev.telar.movies;

import io.quarkus.hibernate.reactive.panache.PanacheRepository;
import io.quarkus.panache.common.Sort;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

@ApplicationScoped
public class MovieRepository implements PanacheRepository<Movie> {

    private static final int PAGE_SIZE = 20;

    Uni<List<Movie>> page(int number) {
        return findAll(Sort.by("id")).page(number, PAGE_SIZE).list();
    }

    /** One statement; {@code deleteById} would read the row first. */
    Uni<Boolean> deleteRow(long id) {
        return delete("id", id).map(rows -> rows == 1);
    }
}
