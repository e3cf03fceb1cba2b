package dev.telar.movies;

import java.util.List;
import org.springframework.data.domain.Pageable;
import org.springframework.data.mongodb.repository.MongoRepository;

interface MovieRepository extends MongoRepository<Movie, String> {

    /** A list, not a Page: nobody asks for the total, so nothing counts it. */
    List<Movie> findAllBy(Pageable page);

    /** Unlike {@link #deleteById}, tells whether there was such a movie. */
    long deleteMovieById(String id);
}
