package dev.telar.movies;

import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.transaction.Transactional;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestResponse;

/**
 * The movie API. A build with {@code quarkus.virtual-threads.enabled=false} runs it on the worker
 * pool. Only writes are transactions: a read is one statement in auto-commit mode.
 */
@Path("/movies")
@RunOnVirtualThread
public class MovieResource {

    private final MovieRepository movies;

    MovieResource(MovieRepository movies) {
        this.movies = movies;
    }

    @GET
    @Path("/{id}")
    public Movie get(@RestPath String id) {
        return find(id);
    }

    /** Asks the query itself: Quarkus REST takes an empty parameter for none. */
    @GET
    public List<Movie> list(@Context UriInfo uri) {
        return movies.page(Parameters.page(uri.getQueryParameters().getFirst("page")));
    }

    @POST
    @Transactional
    public RestResponse<Movie> create(@NotNull @Valid Movie movie) {
        movies.persist(movie);
        return RestResponse.ResponseBuilder.create(RestResponse.Status.CREATED, movie)
                .header(HttpHeaders.LOCATION, "/movies/" + movie.id)
                .build();
    }

    @PUT
    @Path("/{id}")
    @Transactional
    public Movie replace(@RestPath String id, @NotNull @Valid Movie movie) {
        Movie stored = find(id);
        stored.replaceWith(movie);
        return stored;
    }

    @PATCH
    @Path("/{id}/rating")
    @Transactional
    public Movie rate(@RestPath String id, @NotNull @Valid Rating rating) {
        Movie stored = find(id);
        stored.rating = rating.rating();
        return stored;
    }

    @DELETE
    @Path("/{id}")
    @Transactional
    public void delete(@RestPath String id) {
        if (!movies.deleteRow(Parameters.id(id))) {
            throw Problem.noSuchMovie();
        }
    }

    private Movie find(String id) {
        return movies.findByIdOptional(Parameters.id(id)).orElseThrow(Problem::noSuchMovie);
    }
}
