package dev.telar.movies;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndReplaceOptions;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Updates;
import java.util.List;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;
import org.springframework.data.domain.Pageable;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.stereotype.Service;

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
    private final MongoOperations mongo;

    MovieService(MovieRepository movies, MongoOperations mongo) {
        this.movies = movies;
        this.mongo = mongo;
    }

    Movie find(String id) {
        return movies.findById(id).orElseThrow(MovieNotFoundException::new);
    }

    List<Movie> page(Pageable page) {
        return movies.findAllBy(page);
    }

    Movie create(Movie movie) {
        return movies.insert(movie);
    }

    Movie replace(String id, Movie movie) {
        Document document = new Document();
        mongo.getConverter().write(movie, document);
        return change(stored -> stored.findOneAndReplace(byId(id), document, REPLACED));
    }

    Movie rate(String id, double rating) {
        Bson update = Updates.set("rating", rating);
        return change(stored -> stored.findOneAndUpdate(byId(id), update, UPDATED));
    }

    void delete(String id) {
        if (movies.deleteMovieById(id) == 0) {
            throw new MovieNotFoundException();
        }
    }

    private Movie change(CollectionCallback<Document> change) {
        Document changed = mongo.execute(Movie.class, change);
        if (changed == null) {
            throw new MovieNotFoundException();
        }
        return mongo.getConverter().read(Movie.class, changed);
    }

    private static Bson byId(String id) {
        return Filters.eq(new ObjectId(id));
    }
}
