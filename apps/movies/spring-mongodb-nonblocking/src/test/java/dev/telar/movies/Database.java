package dev.telar.movies;

import java.io.IOException;
import java.net.ServerSocket;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.DynamicPropertyRegistrar;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** MongoDB, or our own image of its protocol, on a free port of this machine's loopback. */
@TestConfiguration(proxyBeanMethods = false)
class Database {

    private static final String IMAGE =
            System.getProperty("telar.image.mongodb", "telar/mongodb:local");

    private final int port = freePort();

    /** Our image takes its port from the environment, the official one from its command. */
    @Bean(initMethod = "start", destroyMethod = "stop")
    GenericContainer<?> mongodb() {
        return new GenericContainer<>(DockerImageName.parse(IMAGE))
                .withNetworkMode("host")
                .withEnv("PORT", Integer.toString(port))
                .withCommand("--port", Integer.toString(port), "--bind_ip", "127.0.0.1")
                .waitingFor(
                        Wait.forSuccessfulCommand("bash -c '</dev/tcp/127.0.0.1/" + port + "'"));
    }

    @Bean
    DynamicPropertyRegistrar properties(GenericContainer<?> mongodb) {
        return properties -> properties.add("DB_PORT", () -> port);
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
