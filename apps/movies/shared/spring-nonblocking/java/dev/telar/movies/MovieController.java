package dev.telar.movies;

import jakarta.validation.Valid;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@RestController
@RequestMapping("/movies")
class MovieController {

    private final MovieService movies;

    MovieController(MovieService movies) {
        this.movies = movies;
    }

    @GetMapping("/{id}")
    Mono<Movie> find(@PathVariable String id) {
        return movies.find(MovieId.parse(id));
    }

    @GetMapping
    Flux<Movie> page(@RequestParam(required = false) String page) {
        return movies.page(MoviePage.parse(page));
    }

    @PostMapping
    Mono<ResponseEntity<Movie>> create(@Valid @RequestBody Movie movie) {
        return movies.create(movie).map(MovieController::created);
    }

    @PutMapping("/{id}")
    Mono<Movie> replace(@PathVariable String id, @Valid @RequestBody Movie movie) {
        return movies.replace(MovieId.parse(id), movie);
    }

    @PatchMapping("/{id}/rating")
    Mono<Movie> rate(@PathVariable String id, @Valid @RequestBody MovieRating rating) {
        return movies.rate(MovieId.parse(id), rating.rating());
    }

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> delete(@PathVariable String id) {
        return movies.delete(MovieId.parse(id));
    }

    private static ResponseEntity<Movie> created(Movie movie) {
        return ResponseEntity.created(URI.create("/movies/" + movie.id())).body(movie);
    }
}
