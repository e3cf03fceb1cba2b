package dev.telar.movies;

import org.springframework.data.domain.Pageable;
import org.springframework.data.r2dbc.repository.Modifying;
import org.springframework.data.r2dbc.repository.Query;
import org.springframework.data.r2dbc.repository.R2dbcRepository;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

interface MovieRepository extends R2dbcRepository<Movie, Long> {

    Flux<Movie> findAllBy(Pageable page);

    /** Unlike {@link #deleteById}, tells whether there was such a movie. */
    @Modifying
    @Query("DELETE FROM movie WHERE id = :id")
    Mono<Long> deleteMovie(long id);
}
