package dev.telar.movies;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.net.URI;
import org.junit.jupiter.api.extension.ExtendWith;

/** Of the packaged app. */
@ExtendWith(NeedsDocker.class)
@QuarkusIntegrationTest
@QuarkusTestResource(Database.class)
class MovieApiIT extends MovieApi {

    @TestHTTPResource("/")
    URI api;

    /** Set by {@link Database}. */
    URI management;

    MovieApiIT() {
        super("sql_pool_active");
    }

    @Override
    URI api() {
        return api;
    }

    @Override
    URI management() {
        return management;
    }
}
