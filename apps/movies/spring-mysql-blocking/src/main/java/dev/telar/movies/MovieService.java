package dev.telar.movies;

import java.util.List;
import org.springframework.data.domain.Pageable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The movies' use cases: reads in auto-commit, each write in a transaction. */
@Service
class MovieService {

    private final MovieRepository movies;

    MovieService(MovieRepository movies) {
        this.movies = movies;
    }

    Movie find(long id) {
        return movies.findById(id).orElseThrow(MovieNotFoundException::new);
    }

    List<Movie> page(Pageable page) {
        return movies.findAllBy(page);
    }

    @Transactional
    Movie create(MovieDetails details) {
        return movies.save(new Movie(details));
    }

    @Transactional
    Movie replace(long id, MovieDetails details) {
        Movie movie = find(id);
        movie.replace(details);
        return movie;
    }

    @Transactional
    Movie rate(long id, double rating) {
        Movie movie = find(id);
        movie.rate(rating);
        return movie;
    }

    @Transactional
    void delete(long id) {
        if (movies.deleteMovie(id) == 0) {
            throw new MovieNotFoundException();
        }
    }
}
