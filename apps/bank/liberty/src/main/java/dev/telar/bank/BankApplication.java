package dev.telar.bank;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;
import java.util.Set;

/** What answers depends on the threads that are asked for: {@code -Dbank.threads}. */
@ApplicationPath("/")
public class BankApplication extends Application {
    @Override
    public Set<Class<?>> getClasses() {
        return Set.of(
                HealthResource.class,
                switch (System.getProperty("bank.threads")) {
                    case "pool" -> PoolResource.class;
                    case "handed-off" -> HandedOffResource.class;
                    case null, default ->
                            throw new IllegalStateException("bank.threads: pool or handed-off");
                });
    }
}
