package dev.telar.sleep;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class SleepApplication {

    public static void main(String[] args) {
        SpringApplication.run(SleepApplication.class, args);
    }
}
