package dev.telar.movies;

import java.util.List;
import org.springframework.data.domain.Pageable;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;

interface MovieRepository extends JpaRepository<Movie, Long> {

    /** A list, not a Page: nobody asks for the total, so nothing counts it. */
    List<Movie> findAllBy(Pageable page);

    /** One statement, where {@link #deleteById} would read the movie first. */
    @Modifying
    @Query("delete from Movie m where m.id = :id")
    int deleteMovie(long id);
}
