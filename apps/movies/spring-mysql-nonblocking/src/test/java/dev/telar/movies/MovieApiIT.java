package dev.telar.movies;

import java.net.URI;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

@ExtendWith(NeedsDocker.class)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@Import(Database.class)
class MovieApiIT extends MovieApi {

    @LocalServerPort private int port;
    @LocalManagementPort private int managementPort;

    MovieApiIT() {
        super("r2dbc_pool_max_allocated_connections");
    }

    @Override
    URI api() {
        return URI.create("http://127.0.0.1:" + port);
    }

    @Override
    URI management() {
        return URI.create("http://127.0.0.1:" + managementPort);
    }
}
