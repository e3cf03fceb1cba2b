package dev.telar.movies;

import jakarta.validation.Valid;
import java.net.URI;
import java.util.List;
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

@RestController
@RequestMapping("/movies")
class MovieController {

    private final MovieService movies;

    MovieController(MovieService movies) {
        this.movies = movies;
    }

    @GetMapping("/{id}")
    Movie find(@PathVariable String id) {
        return movies.find(MovieId.parse(id));
    }

    @GetMapping
    List<Movie> page(@RequestParam(required = false) String page) {
        return movies.page(MoviePage.parse(page));
    }

    @PostMapping
    ResponseEntity<Movie> create(@Valid @RequestBody Movie movie) {
        Movie created = movies.create(movie);
        return ResponseEntity.created(URI.create("/movies/" + created.id())).body(created);
    }

    @PutMapping("/{id}")
    Movie replace(@PathVariable String id, @Valid @RequestBody Movie movie) {
        return movies.replace(MovieId.parse(id), movie);
    }

    @PatchMapping("/{id}/rating")
    Movie rate(@PathVariable String id, @Valid @RequestBody MovieRating rating) {
        return movies.rate(MovieId.parse(id), rating.rating());
    }

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void delete(@PathVariable String id) {
        movies.delete(MovieId.parse(id));
    }
}
