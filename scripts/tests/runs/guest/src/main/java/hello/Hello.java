package hello;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * Answers "hello", and counts like Micrometer's Prometheus endpoint does. With HELLO_KEYS, a key store on the class
 * path whose password is "changeit", over HTTPS.
 */
public final class Hello {
  private static final AtomicLong SERVED = new AtomicLong();
  private static final AtomicLong NANOS = new AtomicLong();

  public static void main(String[] arguments) throws IOException, GeneralSecurityException {
    int port = Integer.parseInt(System.getenv("HELLO_PORT"));
    HttpServer server = server(new InetSocketAddress("127.0.0.1", port), System.getenv("HELLO_KEYS"));
    server.createContext("/hello", exchange -> {
      long start = System.nanoTime();
      answer(exchange, "hello\n");
      NANOS.addAndGet(System.nanoTime() - start);
      SERVED.incrementAndGet();
    });
    server.createContext("/ready", exchange -> answer(exchange, "ready\n"));
    server.createContext("/metrics", exchange -> answer(exchange, metrics()));
    server.setExecutor(Executors.newFixedThreadPool(4));
    server.start();
  }

  private static HttpServer server(InetSocketAddress address, String keys)
      throws IOException, GeneralSecurityException {
    if (keys == null) {
      return HttpServer.create(address, 0);
    }
    char[] password = "changeit".toCharArray();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (var in = Hello.class.getResourceAsStream(keys)) {
      store.load(in, password);
    }
    KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    HttpsServer server = HttpsServer.create(address, 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    return server;
  }

  private static String metrics() {
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    return """
        http_server_requests_seconds_count{uri="/hello"} %d
        http_server_requests_seconds_sum{uri="/hello"} %s
        jvm_memory_used_bytes{area="heap"} %d
        """.formatted(SERVED.get(), NANOS.get() / 1e9, heap);
  }

  private static void answer(HttpExchange exchange, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    try (var out = exchange.getResponseBody()) {
      out.write(body);
    }
  }
}
