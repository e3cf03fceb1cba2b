package dev.telar.movies;

import io.quarkus.mongodb.reactive.ReactiveMongoClient;
import io.smallrye.health.api.AsyncHealthCheck;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import org.bson.Document;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * Stands in for Quarkus' own check, which asks the synchronous client too and so opens a second
 * pool.
 */
@Readiness
@ApplicationScoped
public class DatabaseCheck implements AsyncHealthCheck {

    private final ReactiveMongoClient client;

    DatabaseCheck(ReactiveMongoClient client) {
        this.client = client;
    }

    /** A failing ping is reported as down. */
    @Override
    public Uni<HealthCheckResponse> call() {
        return client.getDatabase("admin")
                .runCommand(new Document("ping", 1))
                .map(pong -> HealthCheckResponse.up("MongoDB"));
    }
}
