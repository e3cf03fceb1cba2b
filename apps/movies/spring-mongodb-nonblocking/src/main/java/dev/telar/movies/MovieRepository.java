package dev.telar.movies;

import org.springframework.data.domain.Pageable;
import org.springframework.data.mongodb.repository.ReactiveMongoRepository;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

interface MovieRepository extends ReactiveMongoRepository<Movie, String> {

    Flux<Movie> findAllBy(Pageable page);

    /** Unlike {@link #deleteById}, tells whether there was such a movie. */
    Mono<Long> deleteMovieById(String id);
}
