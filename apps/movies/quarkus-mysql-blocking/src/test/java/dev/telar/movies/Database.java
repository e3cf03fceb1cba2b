package dev.telar.movies;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/** A MySQL of our own image or the official one, on a free port of this machine's loopback. */
public class Database implements QuarkusTestResourceLifecycleManager {

    private static final String IMAGE =
            System.getProperty("telar.image.mysql", "telar/mysql:local");

    /** One statement a line, as mysqld reads it at its first start. */
    private static final String FIRST_SQL =
            """
            CREATE DATABASE movies CHARACTER SET utf8mb4;
            CREATE USER 'telar'@'%' IDENTIFIED BY '';
            GRANT ALL PRIVILEGES ON movies.* TO 'telar'@'%';
            """;

    private static final Path SCHEMA = Path.of("../contract/mysql.sql");

    private GenericContainer<?> mysql;

    private int metricsPort;

    @Override
    public Map<String, String> start() {
        int port = freePort();
        mysql = container(port);
        mysql.start();
        createSchema(port);
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
        if (mysql != null) {
            mysql.stop();
        }
    }

    private static GenericContainer<?> container(int port) {
        return new GenericContainer<>(DockerImageName.parse(IMAGE))
                .withNetworkMode("host")
                .withEnv("MYSQL_ALLOW_EMPTY_PASSWORD", "yes")
                .withCopyToContainer(
                        Transferable.of(FIRST_SQL), "/docker-entrypoint-initdb.d/telar.sql")
                .withCommand("--port=" + port, "--bind-address=127.0.0.1", "--mysqlx=OFF")
                .waitingFor(
                        Wait.forSuccessfulCommand("bash -c '</dev/tcp/127.0.0.1/" + port + "'"));
    }

    /** The app never makes its schema: the test does, from the contract. */
    private static void createSchema(int port) {
        String url =
                "jdbc:mysql://127.0.0.1:%d/movies?sslMode=DISABLED&allowPublicKeyRetrieval=true"
                        .formatted(port);
        try (Connection connection = DriverManager.getConnection(url, "telar", "");
                Statement statement = connection.createStatement()) {
            statement.execute(Files.readString(SCHEMA));
        } catch (SQLException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
