package dev.telar.movies;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndReplaceOptions;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Updates;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;
import org.springframework.data.domain.Pageable;
import org.springframework.data.mongodb.core.ReactiveCollectionCallback;
import org.springframework.data.mongodb.core.ReactiveMongoOperations;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The movies' use cases: each is one operation of the database, which makes it atomic. Changes are
 * the driver's own operations, because Spring's findAndModify and findAndReplace always send a
 * projection, empty or not, and FerretDB 1 knows none there.
 */
@Service
class MovieService {

    private static final FindOneAndReplaceOptions REPLACED =
            new FindOneAndReplaceOptions().returnDocument(ReturnDocument.AFTER);
    private static final FindOneAndUpdateOptions UPDATED =
            new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER);

    private final MovieRepository movies;
    private final ReactiveMongoOperations mongo;

    MovieService(MovieRepository movies, ReactiveMongoOperations mongo) {
        this.movies = movies;
        this.mongo = mongo;
    }

    Mono<Movie> find(String id) {
        return movies.findById(id).switchIfEmpty(Mono.error(MovieNotFoundException::new));
    }

    Flux<Movie> page(Pageable page) {
        return movies.findAllBy(page);
    }

    Mono<Movie> create(Movie movie) {
        return movies.insert(movie);
    }

    Mono<Movie> replace(String id, Movie movie) {
        Document document = new Document();
        mongo.getConverter().write(movie, document);
        return change(stored -> stored.findOneAndReplace(byId(id), document, REPLACED));
    }

    Mono<Movie> rate(String id, double rating) {
        Bson update = Updates.set("rating", rating);
        return change(stored -> stored.findOneAndUpdate(byId(id), update, UPDATED));
    }

    Mono<Void> delete(String id) {
        return movies.deleteMovieById(id)
                .filter(deleted -> deleted > 0)
                .switchIfEmpty(Mono.error(MovieNotFoundException::new))
                .then();
    }

    private Mono<Movie> change(ReactiveCollectionCallback<Document> change) {
        return mongo.execute(Movie.class, change)
                .next()
                .map(changed -> mongo.getConverter().read(Movie.class, changed))
                .switchIfEmpty(Mono.error(MovieNotFoundException::new));
    }

    private static Bson byId(String id) {
        return Filters.eq(new ObjectId(id));
    }
}
