package dev.telar.proxy;

import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/** How the remote system is asked where no thread waits. */
public final class Client {

    private static final int CONNECTIONS =
            10_000; // by default 500, and requests beyond wait for one

    private Client() {}

    public static WebClient create() {
        ConnectionProvider connections =
                ConnectionProvider.builder("remote")
                        .maxConnections(CONNECTIONS)
                        .pendingAcquireMaxCount(CONNECTIONS)
                        .build();
        return WebClient.builder()
                .clientConnector(new ReactorClientHttpConnector(HttpClient.create(connections)))
                .baseUrl(Remote.base())
                .build();
    }
}
