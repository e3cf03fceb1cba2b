package dev.telar.movies;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.util.Map;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** MongoDB, or our own image of its protocol, on a free port of this machine's loopback. */
public class Database implements QuarkusTestResourceLifecycleManager {

    private static final String IMAGE =
            System.getProperty("telar.image.mongodb", "telar/mongodb:local");

    private GenericContainer<?> mongodb;

    private int metricsPort;

    @Override
    public Map<String, String> start() {
        int port = freePort();
        mongodb = container(port);
        mongodb.start();
        metricsPort = freePort();
        return Map.of(
                "DB_PORT", Integer.toString(port),
                "METRICS_PORT", Integer.toString(metricsPort));
    }

    /**
     * {@code @TestHTTPResource(management = true)} knows only the port that Quarkus itself chose.
     */
    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(
                URI.create("http://127.0.0.1:" + metricsPort),
                field -> field.getName().equals("management"));
    }

    @Override
    public void stop() {
        if (mongodb != null) {
            mongodb.stop();
        }
    }

    /** Our image takes its port from the environment, the official one from its command. */
    private static GenericContainer<?> container(int port) {
        return new GenericContainer<>(DockerImageName.parse(IMAGE))
                .withNetworkMode("host")
                .withEnv("PORT", Integer.toString(port))
                .withCommand("--port", Integer.toString(port), "--bind_ip", "127.0.0.1")
                .waitingFor(
                        Wait.forSuccessfulCommand("bash -c '</dev/tcp/127.0.0.1/" + port + "'"));
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
