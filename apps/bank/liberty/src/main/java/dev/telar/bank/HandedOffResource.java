package dev.telar.bank;

import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Liberty's pool reads the request and hands it to a virtual thread of its own.
 *
 * <p>Released Liberty has no switch for requests on virtual threads; this is the nearest that an
 * application can do by itself. The hand-off is a part of what it costs.
 */
@Path("/")
@Produces(MediaType.APPLICATION_JSON)
public class HandedOffResource {
    private static final ExecutorService EACH = Executors.newVirtualThreadPerTaskExecutor();

    @GET
    @Path("ping")
    public void ping(@Suspended AsyncResponse later) {
        handOff(later, Bank::ping);
    }

    @GET
    @Path("accounts/{id}")
    public void account(
            @PathParam("id") int id,
            @QueryParam("delay") int delay,
            @Suspended AsyncResponse later) {
        handOff(later, () -> Bank.account(id, delay));
    }

    @POST
    @Path("accounts/{id}/transfers")
    @Consumes(MediaType.TEXT_PLAIN)
    public void transfer(
            @PathParam("id") int id,
            @QueryParam("delay") int delay,
            String amount,
            @Suspended AsyncResponse later) {
        handOff(later, () -> Bank.transfer(id, delay, amount));
    }

    private static void handOff(AsyncResponse later, Supplier<Response> answer) {
        EACH.execute(
                () -> {
                    try {
                        later.resume(answer.get());
                    } catch (RuntimeException error) {
                        later.resume(error);
                    }
                });
    }
}
