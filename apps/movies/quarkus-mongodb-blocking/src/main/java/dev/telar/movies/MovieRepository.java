package dev.telar.movies;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndReplaceOptions;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Updates;
import io.quarkus.mongodb.panache.PanacheMongoRepository;
import io.quarkus.panache.common.Sort;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.bson.types.ObjectId;

@ApplicationScoped
public class MovieRepository implements PanacheMongoRepository<Movie> {

    private static final int PAGE_SIZE = 20;

    List<Movie> page(int number) {
        return findAll(Sort.by("_id")).page(number, PAGE_SIZE).list();
    }

    Optional<Movie> replace(ObjectId id, Movie movie) {
        movie.id = id;
        return Optional.ofNullable(
                mongoCollection()
                        .findOneAndReplace(
                                Filters.eq(id),
                                movie,
                                new FindOneAndReplaceOptions()
                                        .returnDocument(ReturnDocument.AFTER)));
    }

    Optional<Movie> rate(ObjectId id, double rating) {
        return Optional.ofNullable(
                mongoCollection()
                        .findOneAndUpdate(
                                Filters.eq(id),
                                Updates.set("rating", rating),
                                new FindOneAndUpdateOptions()
                                        .returnDocument(ReturnDocument.AFTER)));
    }
}
