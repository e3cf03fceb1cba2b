package dev.telar.movies;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;

/** Without default transactions, a read is one auto-committed statement; writes ask for theirs. */
@SpringBootApplication
@EnableJpaRepositories(enableDefaultTransactions = false)
public class MoviesApplication {

    public static void main(String[] args) {
        SpringApplication.run(MoviesApplication.class, args);
    }
}
