package dev.telar.stub;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The remote system that other services call: {@code GET /remote?millis=2&jitter=1} answers after 2
 * to 3 milliseconds. It waits on virtual threads and does no work, so thousands may wait at once.
 *
 * <p>HTTP/1.1 as clients of our own need it: GET without a body, connections that are kept alive.
 */
public final class Remote {
    private static final int BACKLOG = 10_000;
    private static final int MOST_MILLIS = 60_000;
    private static final int LONGEST_HEAD = 16_384;

    private Remote() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        serve(System.getenv("HTTP_PORT"));
        serve(System.getenv("METRICS_PORT")).join();
    }

    private static Thread serve(String port) throws IOException {
        ServerSocket listening =
                new ServerSocket(Integer.parseInt(port), BACKLOG, InetAddress.getLoopbackAddress());
        return Thread.ofPlatform()
                .start(
                        () -> {
                            try (listening) {
                                while (true) {
                                    Socket client = listening.accept();
                                    Thread.ofVirtual().start(() -> answerAll(client));
                                }
                            } catch (IOException error) {
                                throw new IllegalStateException(error);
                            }
                        });
    }

    private static void answerAll(Socket client) {
        try (client;
                InputStream in = new BufferedInputStream(client.getInputStream(), 1024);
                OutputStream out = client.getOutputStream()) {
            client.setTcpNoDelay(true);
            for (String target = target(in); target != null; target = target(in)) {
                out.write(answer(target));
            }
        } catch (IOException error) {
            // The client has gone: whoever asked notices.
        }
    }

    /** What the next request asks for, once its head is read; null at the connection's end. */
    private static String target(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder(256);
        while (!endsWithEmptyLine(head)) {
            int read = in.read();
            if (read < 0) {
                return null;
            }
            if (head.length() == LONGEST_HEAD) {
                throw new IOException("the head of a request has no end");
            }
            head.append((char) read);
        }
        String[] words = head.substring(0, head.indexOf("\r\n")).split(" ");
        return words.length == 3 && words[0].equals("GET") ? words[1] : "";
    }

    private static boolean endsWithEmptyLine(StringBuilder head) {
        int end = head.length();
        return end >= 4 && head.charAt(end - 1) == '\n' && head.indexOf("\r\n\r\n", end - 4) >= 0;
    }

    private static byte[] answer(String target) {
        int query = target.indexOf('?');
        String path = query < 0 ? target : target.substring(0, query);
        String parameters = query < 0 ? "" : target.substring(query + 1);
        if (path.equals("/health/ready")) {
            return response("200 OK", "{\"status\":\"UP\"}");
        }
        if (!path.equals("/remote")) {
            return response("404 Not Found", "{}");
        }
        try {
            int millis = number(parameters, "millis");
            int jitter = number(parameters, "jitter");
            Thread.sleep(millis + (jitter == 0 ? 0 : random(jitter)));
            return response("200 OK", "{\"millis\":" + millis + "}");
        } catch (NumberFormatException error) {
            return response("400 Bad Request", "{}");
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return response("503 Service Unavailable", "{}");
        }
    }

    private static int random(int jitter) {
        return ThreadLocalRandom.current().nextInt(jitter + 1);
    }

    /** 0 where it isn't said. */
    private static int number(String parameters, String name) {
        for (String parameter : parameters.split("&")) {
            if (parameter.startsWith(name + "=")) {
                int number = Integer.parseInt(parameter.substring(name.length() + 1));
                if (number < 0 || number > MOST_MILLIS) {
                    throw new NumberFormatException(parameter);
                }
                return number;
            }
        }
        return 0;
    }

    private static byte[] response(String status, String body) {
        return ("HTTP/1.1 "
                        + status
                        + "\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length()
                        + "\r\n\r\n"
                        + body)
                .getBytes(StandardCharsets.US_ASCII);
    }
}
