package dev.telar.movies;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/**
 * Quarkus REST writes {@code application/json;charset=UTF-8} and has no switch for it; the contract
 * says {@code application/json}. Done on the finished head, where it costs the least.
 */
@ApplicationScoped
public class PlainJsonType {

    private static final int PRIORITY = 100;

    void register(@Observes Filters filters) {
        filters.register(PlainJsonType::onHeadersEnd, PRIORITY);
    }

    private static void onHeadersEnd(RoutingContext context) {
        context.addHeadersEndHandler(end -> dropCharset(context.response().headers()));
        context.next();
    }

    private static void dropCharset(MultiMap headers) {
        String type = headers.get(HttpHeaders.CONTENT_TYPE);
        if (type != null && type.startsWith("application/json;")) {
            headers.set(HttpHeaders.CONTENT_TYPE, "application/json");
        }
    }
}
