package dev.telar.movies;

import io.smallrye.common.annotation.RunOnVirtualThread;
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
 * pool.
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
        return movies.findByIdOptional(Parameters.id(id)).orElseThrow(Problem::noSuchMovie);
    }

    /** Asks the query itself: Quarkus REST takes an empty parameter for none. */
    @GET
    public List<Movie> list(@Context UriInfo uri) {
        return movies.page(Parameters.page(uri.getQueryParameters().getFirst("page")));
    }

    @POST
    public RestResponse<Movie> create(@NotNull @Valid Movie movie) {
        movies.persist(movie);
        return RestResponse.ResponseBuilder.create(RestResponse.Status.CREATED, movie)
                .header(HttpHeaders.LOCATION, "/movies/" + movie.id)
                .build();
    }

    @PUT
    @Path("/{id}")
    public Movie replace(@RestPath String id, @NotNull @Valid Movie movie) {
        return movies.replace(Parameters.id(id), movie).orElseThrow(Problem::noSuchMovie);
    }

    @PATCH
    @Path("/{id}/rating")
    public Movie rate(@RestPath String id, @NotNull @Valid Rating rating) {
        return movies.rate(Parameters.id(id), rating.rating()).orElseThrow(Problem::noSuchMovie);
    }

    @DELETE
    @Path("/{id}")
    public void delete(@RestPath String id) {
        if (!movies.deleteById(Parameters.id(id))) {
            throw Problem.noSuchMovie();
        }
    }
}
