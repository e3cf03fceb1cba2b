package dev.telar.bank;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Starts Liberty in this process, so that the measured JVM is the one that was started.
 *
 * <p>Liberty's own script starts java by itself, and its server writes beside its files: here what
 * it writes lies in a folder of the process's own. The embedding interface lies in the server,
 * which isn't there when this is compiled.
 */
public final class Server {
    private static final String NAME = "bank";

    private Server() {}

    public static void main(String[] arguments) throws Exception {
        File installed = new File(home(), "wlp");
        Path written = Files.createTempDirectory("bank-");
        Class<?> kind = Class.forName("com.ibm.wsspi.kernel.embeddable.ServerBuilder");
        Object builder = kind.getConstructor().newInstance();
        kind.getMethod("setName", String.class).invoke(builder, NAME);
        kind.getMethod("setInstallDir", File.class).invoke(builder, installed);
        kind.getMethod("setUserDir", File.class).invoke(builder, new File(installed, "usr"));
        kind.getMethod("setOutputDir", File.class).invoke(builder, written.toFile());
        Object server = kind.getMethod("build").invoke(builder);
        Class<?> api = Class.forName("com.ibm.wsspi.kernel.embeddable.Server");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(api, server, written)));
        Object result = result(api, server, "start");
        if (!(boolean) method(result, "successful")) {
            throw new IllegalStateException(
                    "Liberty doesn't start", (Throwable) method(result, "getException"));
        }
        Thread.currentThread().join(); // Liberty's own threads don't keep the process alive
    }

    private static File home() throws Exception {
        return new File(Server.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                .getParentFile();
    }

    private static Object result(Class<?> api, Object server, String action) throws Exception {
        Object none = new String[0];
        return ((Future<?>) api.getMethod(action, String[].class).invoke(server, none)).get();
    }

    private static Object method(Object result, String name) throws Exception {
        return Class.forName("com.ibm.wsspi.kernel.embeddable.Server$Result")
                .getMethod(name)
                .invoke(result);
    }

    private static void stop(Class<?> api, Object server, Path written) {
        try {
            result(api, server, "stop");
        } catch (Exception error) {
            System.err.println("Liberty didn't stop: " + error);
        }
        try (Stream<Path> all = Files.walk(written)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException | UncheckedIOException error) {
            System.err.println(written + " is left over: " + error);
        }
    }
}
