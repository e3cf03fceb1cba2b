package dev.telar.movies;

import io.quarkus.hibernate.reactive.panache.common.WithSession;
import io.quarkus.hibernate.reactive.panache.common.WithTransaction;
import io.smallrye.mutiny.Uni;
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
 * The movie API on the event loop. Only writes are transactions: a read is one statement in
 * auto-commit mode.
 */
@Path("/movies")
public class MovieResource {

    private final MovieRepository movies;

    MovieResource(MovieRepository movies) {
        this.movies = movies;
    }

    @GET
    @Path("/{id}")
    @WithSession
    public Uni<Movie> get(@RestPath String id) {
        return find(id);
    }

    /** Asks the query itself: Quarkus REST takes an empty parameter for none. */
    @GET
    @WithSession
    public Uni<List<Movie>> list(@Context UriInfo uri) {
        return movies.page(Parameters.page(uri.getQueryParameters().getFirst("page")));
    }

    @POST
    @WithTransaction
    public Uni<RestResponse<Movie>> create(@NotNull @Valid Movie movie) {
        return movies.persist(movie).map(MovieResource::created);
    }

    @PUT
    @Path("/{id}")
    @WithTransaction
    public Uni<Movie> replace(@RestPath String id, @NotNull @Valid Movie movie) {
        return find(id).invoke(stored -> stored.replaceWith(movie));
    }

    @PATCH
    @Path("/{id}/rating")
    @WithTransaction
    public Uni<Movie> rate(@RestPath String id, @NotNull @Valid Rating rating) {
        return find(id).invoke(stored -> stored.rating = rating.rating());
    }

    @DELETE
    @Path("/{id}")
    @WithTransaction
    public Uni<Void> delete(@RestPath String id) {
        return movies.deleteRow(Parameters.id(id))
                .invoke(MovieResource::requireDeleted)
                .replaceWithVoid();
    }

    private Uni<Movie> find(String id) {
        return movies.findById(Parameters.id(id)).onItem().ifNull().failWith(Problem::noSuchMovie);
    }

    private static RestResponse<Movie> created(Movie movie) {
        return RestResponse.ResponseBuilder.create(RestResponse.Status.CREATED, movie)
                .header(HttpHeaders.LOCATION, "/movies/" + movie.id)
                .build();
    }

    private static void requireDeleted(boolean deleted) {
        if (!deleted) {
            throw Problem.noSuchMovie();
        }
    }
}
