package dev.telar.movies;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndReplaceOptions;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Updates;
import io.quarkus.mongodb.panache.reactive.ReactivePanacheMongoRepository;
import io.quarkus.panache.common.Sort;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.bson.types.ObjectId;

@ApplicationScoped
public class MovieRepository implements ReactivePanacheMongoRepository<Movie> {

    private static final int PAGE_SIZE = 20;

    Uni<List<Movie>> page(int number) {
        return findAll(Sort.by("_id")).page(number, PAGE_SIZE).list();
    }

    /** Null when there is no such movie, as with {@code findById}. */
    Uni<Movie> replace(ObjectId id, Movie movie) {
        movie.id = id;
        return mongoCollection()
                .findOneAndReplace(
                        Filters.eq(id),
                        movie,
                        new FindOneAndReplaceOptions().returnDocument(ReturnDocument.AFTER));
    }

    Uni<Movie> rate(ObjectId id, double rating) {
        return mongoCollection()
                .findOneAndUpdate(
                        Filters.eq(id),
                        Updates.set("rating", rating),
                        new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER));
    }
}
