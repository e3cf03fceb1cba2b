package dev.telar.movies;

import java.io.IOException;
import java.net.ServerSocket;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.r2dbc.connection.init.ScriptUtils;
import org.springframework.test.context.DynamicPropertyRegistrar;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/** A MySQL of our own image or the official one, on a free port of this machine's loopback. */
@TestConfiguration(proxyBeanMethods = false)
class Database {

    private static final String IMAGE =
            System.getProperty("telar.image.mysql", "telar/mysql:local");

    /** One statement a line, as mysqld reads it at its first start. */
    private static final String FIRST_SQL =
            """
            CREATE DATABASE movies CHARACTER SET utf8mb4;
            CREATE USER 'telar'@'%' IDENTIFIED BY '';
            GRANT ALL PRIVILEGES ON movies.* TO 'telar'@'%';
            """;

    private final int port = freePort();

    @Bean(initMethod = "start", destroyMethod = "stop")
    GenericContainer<?> mysql() {
        return new GenericContainer<>(DockerImageName.parse(IMAGE))
                .withNetworkMode("host")
                .withEnv("MYSQL_ALLOW_EMPTY_PASSWORD", "yes")
                .withCopyToContainer(
                        Transferable.of(FIRST_SQL), "/docker-entrypoint-initdb.d/telar.sql")
                .withCommand("--port=" + port, "--bind-address=127.0.0.1", "--mysqlx=OFF")
                .waitingFor(
                        Wait.forSuccessfulCommand("bash -c '</dev/tcp/127.0.0.1/" + port + "'"));
    }

    /** The app never makes its schema: the test has it made, from the contract's one statement. */
    @Bean
    DynamicPropertyRegistrar properties(GenericContainer<?> mysql) {
        return properties -> {
            properties.add("DB_PORT", () -> port);
            properties.add("spring.sql.init.mode", () -> "always");
            properties.add("spring.sql.init.separator", () -> ScriptUtils.EOF_STATEMENT_SEPARATOR);
            properties.add("spring.sql.init.schema-locations", () -> "file:../contract/mysql.sql");
        };
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
