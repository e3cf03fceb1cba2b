package dev.telar.movies;

import org.springframework.data.domain.Pageable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The movies' use cases: reads in auto-commit, each write in a transaction. */
@Service
class MovieService {

    private final MovieRepository movies;

    MovieService(MovieRepository movies) {
        this.movies = movies;
    }

    Mono<Movie> find(long id) {
        return movies.findById(id).switchIfEmpty(Mono.error(MovieNotFoundException::new));
    }

    Flux<Movie> page(Pageable page) {
        return movies.findAllBy(page);
    }

    @Transactional
    Mono<Movie> create(Movie movie) {
        return movies.save(movie);
    }

    @Transactional
    Mono<Movie> replace(long id, Movie movie) {
        return find(id).flatMap(old -> movies.save(movie.withId(id)));
    }

    @Transactional
    Mono<Movie> rate(long id, double rating) {
        return find(id).flatMap(movie -> movies.save(movie.withRating(rating)));
    }

    @Transactional
    Mono<Void> delete(long id) {
        return movies.deleteMovie(id)
                .filter(deleted -> deleted > 0)
                .switchIfEmpty(Mono.error(MovieNotFoundException::new))
                .then();
    }
}
