package dev.telar.bank;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** Answers once the application is up. */
@Path("/health/ready")
public class HealthResource {
    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public String ready() {
        return "{\"status\":\"UP\"}";
    }
}
