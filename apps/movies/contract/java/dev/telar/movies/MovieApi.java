package dev.telar.movies;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The movie API on a real database: every endpoint and every error, byte for byte. Each app's
 * {@code MovieApiIT} is this, on the app's own database.
 */
abstract class MovieApi {

    private static final Pattern ID = Pattern.compile("\"id\":\"([0-9a-f]+)\"");

    private static final String FULL =
            """
            {"title":"Amélie 🎬","releasedYear":2001,"certificate":"UA","runtimeMinutes":122,\
            "genre":"Comedy","rating":8.3,"overview":"She \\"helps\\".","metaScore":69,\
            "director":"Jeunet","star1":"Tautou","star2":"Kassovitz","star3":"Rufus",\
            "star4":"Cravotta","votes":703810,"gross":33225499000,"posterUrl":"https://a.b/c?d=e&f"}""";
    private static final String EMPTY =
            """
            {"title":"Untold","releasedYear":null,"certificate":null,"runtimeMinutes":null,\
            "genre":null,"rating":null,"overview":null,"metaScore":null,\
            "director":null,"star1":null,"star2":null,"star3":null,\
            "star4":null,"votes":null,"gross":null,"posterUrl":null}""";

    private static final String TITLE_ONLY = "{\"title\":\"Untold\"}";
    private static final String NO_MOVIE = "No movie with this id.";
    private static final String BAD_PAGE = "page must be a whole number from 0 to 1000000.";

    private final HttpClient http = HttpClient.newHttpClient();
    private final String poolMetric;

    /**
     * @param poolMetric the start of a metric of the app's connection pool
     */
    MovieApi(String poolMetric) {
        this.poolMetric = poolMetric;
    }

    /** Where the app listens. */
    abstract URI api();

    /** Where its health and its metrics are. */
    abstract URI management();

    @Test
    void isReadyOnThePortOfItsMetrics() {
        HttpResponse<String> ready = send("GET", management(), "/health/ready", "");
        assertThat(ready.statusCode()).isEqualTo(200);
    }

    @Test
    void measuresItsThreadsItsPoolAndItsRequests() {
        send("GET", "/movies", "");
        assertThat(send("GET", management(), "/metrics", "").body())
                .contains(poolMetric, "jvm_threads_virtual_", "http_server_requests_");
    }

    @Test
    void createsAMovieAndSaysWhereItIs() {
        HttpResponse<String> created = send("POST", "/movies", FULL);
        String id = idsIn(created).getFirst();
        assertMovie(created, 201, id, FULL);
        assertThat(created.headers().firstValue("Location")).hasValue("/movies/" + id);
    }

    @Test
    void ignoresAnIdAndPropertiesThatItDoesNotKnow() {
        HttpResponse<String> created =
                send("POST", "/movies", "{\"id\":{\"a\":1},\"b\":[],\"title\":\"Untold\"}");
        assertMovie(created, 201, idsIn(created).getFirst(), EMPTY);
    }

    @Test
    void findsAMovie() {
        String id = create(FULL);
        assertMovie(send("GET", "/movies/" + id, ""), 200, id, FULL);
    }

    @Test
    void writesWhatIsUnknownAsNull() {
        String id = create(TITLE_ONLY);
        assertMovie(send("GET", "/movies/" + id, ""), 200, id, EMPTY);
    }

    @Test
    void replacesAMovieAsAWhole() {
        String id = create(FULL);
        assertMovie(send("PUT", "/movies/" + id, TITLE_ONLY), 200, id, EMPTY);
        assertMovie(send("GET", "/movies/" + id, ""), 200, id, EMPTY);
    }

    @Test
    void changesARatingAndNothingElse() {
        String id = create(FULL);
        String rated = FULL.replace("8.3", "7.0");
        assertMovie(send("PATCH", "/movies/" + id + "/rating", "{\"rating\":7}"), 200, id, rated);
        assertMovie(send("GET", "/movies/" + id, ""), 200, id, rated);
    }

    @Test
    void deletesAMovieOnce() {
        String id = create(FULL);
        HttpResponse<String> deleted = send("DELETE", "/movies/" + id, "");
        assertThat(deleted.statusCode()).isEqualTo(204);
        assertThat(deleted.body()).isEmpty();
        assertProblem(send("DELETE", "/movies/" + id, ""), 404, "Not Found", NO_MOVIE);
        assertProblem(send("GET", "/movies/" + id, ""), 404, "Not Found", NO_MOVIE);
    }

    @Test
    void listsMoviesInTheOrderOfTheirIdsTwentyAPage() {
        List<String> created = new ArrayList<>();
        for (int i = 0; i < 41; i++) {
            created.add(create(TITLE_ONLY));
        }
        List<List<String>> pages = allPages();
        assertThat(pages.subList(0, pages.size() - 1)).allMatch(page -> page.size() == 20);
        List<String> ids = pages.stream().flatMap(List::stream).toList();
        assertThat(ids).doesNotHaveDuplicates().containsSubsequence(created);
    }

    @Test
    void startsWithTheFirstPage() {
        create(FULL);
        HttpResponse<String> first = send("GET", "/movies", "");
        assertThat(first.headers().allValues("Content-Type")).containsExactly("application/json");
        assertThat(idsIn(first)).isNotEmpty();
        assertThat(first.body()).isEqualTo(send("GET", "/movies?page=0", "").body());
    }

    @Test
    void endsWithAnEmptyPage() {
        HttpResponse<String> beyond = send("GET", "/movies?page=1000000", "");
        assertThat(beyond.statusCode()).isEqualTo(200);
        assertThat(beyond.body()).isEqualTo("[]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "999999999",
                "0123456789abcdef01234567",
                "abc",
                "-1",
                "1.5",
                "007",
                "123456789012345678901234567890"
            })
    void knowsNoMovieOfAnotherId(String id) {
        String path = "/movies/" + id;
        assertProblem(send("GET", path, ""), 404, "Not Found", NO_MOVIE);
        assertProblem(send("PUT", path, FULL), 404, "Not Found", NO_MOVIE);
        assertProblem(
                send("PATCH", path + "/rating", "{\"rating\":1}"), 404, "Not Found", NO_MOVIE);
        assertProblem(send("DELETE", path, ""), 404, "Not Found", NO_MOVIE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "abc", "1.5", "0x1", "1000001", "99999999999", ""})
    void refusesWhatIsNoPage(String page) {
        assertProblem(send("GET", "/movies?page=" + page, ""), 400, "Bad Request", BAD_PAGE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "null",
                "{\"title\":5}",
                "{\"title\":\"a\"} b",
                "{\"title\":\"a\",\"votes\":\"5\"}",
                "{\"title\":\"a\",\"votes\":1.5}",
                "{\"title\":\"a\",\"votes\":99999999999}",
                "{\"title\":\"a\",\"rating\":true}"
            })
    void refusesWhatIsNoMovie(String body) {
        String detail = "The request body is not a valid movie.";
        assertProblem(send("POST", "/movies", body), 400, "Bad Request", detail);
        assertProblem(send("PUT", "/movies/" + create(FULL), body), 400, "Bad Request", detail);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            textBlock =
                    """
                    {}                                  | title must have 1 to 255 characters
                    {"title":"  "}                      | title must have 1 to 255 characters
                    {"title":"a","releasedYear":1887}   | releasedYear must be from 1888 to 2100
                    {"title":"a","runtimeMinutes":1001} | runtimeMinutes must be from 1 to 1000
                    {"title":"a","metaScore":-1}        | metaScore must be from 0 to 100
                    {"title":"a","rating":10.1}         | rating must be from 0 to 10
                    {"title":"a","certificate":"12345678901234567"} | certificate must have at most 16 characters
                    {"title":"","gross":-1,"votes":-1}  | gross must be at least 0; title must have 1 to 255 characters; votes must be at least 0
                    """)
    void saysWhatIsInvalid(String body, String detail) {
        assertProblem(send("POST", "/movies", body), 400, "Bad Request", detail);
        assertProblem(send("PUT", "/movies/" + create(FULL), body), 400, "Bad Request", detail);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"rating\":null}", "{\"rating\":-0.1}", "{\"rating\":11}"})
    void refusesARatingOutOfRange(String body) {
        HttpResponse<String> answer = send("PATCH", "/movies/" + create(FULL) + "/rating", body);
        assertProblem(answer, 400, "Bad Request", "rating must be from 0 to 10");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "7", "{\"rating\":\"7\"}"})
    void refusesWhatIsNoRating(String body) {
        HttpResponse<String> answer = send("PATCH", "/movies/" + create(FULL) + "/rating", body);
        assertProblem(answer, 400, "Bad Request", "The request body is not a valid rating.");
    }

    private static void assertMovie(
            HttpResponse<String> answer, int status, String id, String details) {
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().allValues("Content-Type")).containsExactly("application/json");
        assertThat(answer.body()).isEqualTo("{\"id\":\"" + id + "\"," + details.substring(1));
    }

    private static void assertProblem(
            HttpResponse<String> answer, int status, String title, String detail) {
        assertThat(answer.body())
                .isEqualTo(
                        "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d,\"detail\":\"%s\"}"
                                .formatted(title, status, detail));
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().allValues("Content-Type"))
                .containsExactly("application/problem+json");
    }

    private String create(String movie) {
        return idsIn(send("POST", "/movies", movie)).getFirst();
    }

    private List<List<String>> allPages() {
        List<List<String>> pages = new ArrayList<>();
        List<String> page = idsIn(send("GET", "/movies?page=0", ""));
        while (!page.isEmpty()) {
            pages.add(page);
            page = idsIn(send("GET", "/movies?page=" + pages.size(), ""));
        }
        return pages;
    }

    private static List<String> idsIn(HttpResponse<String> answer) {
        return ID.matcher(answer.body()).results().map((MatchResult id) -> id.group(1)).toList();
    }

    private HttpResponse<String> send(String method, String path, String body) {
        return send(method, api(), path, body);
    }

    private HttpResponse<String> send(String method, URI server, String path, String body) {
        HttpRequest request =
                HttpRequest.newBuilder(server.resolve(path))
                        .header("Content-Type", "application/json")
                        .method(method, BodyPublishers.ofString(body))
                        .build();
        return http.sendAsync(request, BodyHandlers.ofString()).join();
    }
}
