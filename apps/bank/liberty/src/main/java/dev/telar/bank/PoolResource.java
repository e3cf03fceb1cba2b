package dev.telar.bank;

import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/** On a thread of Liberty's pool from the first byte to the last. */
@Path("/")
@Produces(MediaType.APPLICATION_JSON)
public class PoolResource {
    @GET
    @Path("ping")
    public Response ping() {
        return Bank.ping();
    }

    @GET
    @Path("accounts/{id}")
    public Response account(@PathParam("id") int id, @QueryParam("delay") int delay) {
        return Bank.account(id, delay);
    }

    @POST
    @Path("accounts/{id}/transfers")
    @Consumes(MediaType.TEXT_PLAIN)
    public Response transfer(
            @PathParam("id") int id, @QueryParam("delay") int delay, String amount) {
        return Bank.transfer(id, delay, amount);
    }
}
