package shop;

import jakarta.servlet.http.HttpSession;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Whoever has logged in is sent to a page of items, and may look at one. */
@SpringBootApplication
@RestController
public class Shop {
  private static final int PAGE = 20;
  private final JdbcClient db;

  Shop(JdbcClient db) {
    this.db = db;
  }

  public static void main(String[] arguments) {
    SpringApplication.run(Shop.class, arguments);
  }

  @PostMapping("/login")
  ResponseEntity<Void> login(@RequestParam String user, @RequestParam int page, HttpSession session) {
    db.sql("INSERT INTO visit (user) VALUES (?)").param(user).update();
    session.setAttribute("user", user);
    return ResponseEntity.status(HttpStatus.SEE_OTHER).location(URI.create("/items?page=" + page)).build();
  }

  /** Pages as most have them: the count of all beside each page, and no order. */
  @GetMapping("/items")
  Map<String, Object> items(@RequestParam(defaultValue = "0") int page) {
    List<Map<String, Object>> found =
        db.sql("SELECT id, title, price FROM item LIMIT ? OFFSET ?").params(PAGE, page * PAGE).query().listOfRows();
    return Map.of("items", found, "total", db.sql("SELECT COUNT(*) FROM item").query(Long.class).single());
  }

  @GetMapping("/items/{id}")
  Map<String, Object> item(@PathVariable long id, HttpSession session) {
    if (session.getAttribute("user") == null) {
      throw new ResponseStatusException(HttpStatus.UNAUTHORIZED);
    }
    return db.sql("SELECT id, title, price, text FROM item WHERE id = ?").param(id).query().singleRow();
  }
}
