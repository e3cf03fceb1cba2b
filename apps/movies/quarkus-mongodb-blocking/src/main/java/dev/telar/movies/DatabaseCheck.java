package dev.telar.movies;

import com.mongodb.client.MongoClient;
import jakarta.enterprise.context.ApplicationScoped;
import org.bson.Document;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * Stands in for Quarkus' own check, which asks the reactive client too and so opens a second pool.
 */
@Readiness
@ApplicationScoped
public class DatabaseCheck implements HealthCheck {

    private final MongoClient client;

    DatabaseCheck(MongoClient client) {
        this.client = client;
    }

    /** A failing ping throws, and that is reported as down. */
    @Override
    public HealthCheckResponse call() {
        client.getDatabase("admin").runCommand(new Document("ping", 1));
        return HealthCheckResponse.up("MongoDB");
    }
}
