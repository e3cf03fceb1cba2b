import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A service in small: `java Shop.java PRICED SECONDS`. Each request prices PRICED items, and parses one line. */
public class Shop {
    static long sum;
    static List<Object> kept = new ArrayList<>();

    static void price(int items) {
        for (int i = 0; i < items * 4000; i++) sum += Long.hashCode(sum * 31 + i) ^ i;
    }

    static void parse() {
        sum += Pattern.compile("(a|b)*c").matcher("abababababababababc").matches() ? 1 : 0;
        kept.add(new byte[2000]);
        if (kept.size() > 100) kept.clear();
    }

    static void parse(int lines) {
        for (int i = 0; i < lines; i++) parse();
    }

    static void handle(int items) {
        price(items);
        parse(20);
    }

    public static void main(String[] arguments) throws Exception {
        int items = Integer.parseInt(arguments[0]);
        long end = System.nanoTime() + Long.parseLong(arguments[1]) * 1_000_000_000L;
        System.out.println("up");
        for (long served = 0; System.nanoTime() < end; served++) {
            Thread worker = Thread.startVirtualThread(() -> handle(items));
            worker.join();
            Thread.sleep(1);
        }
    }
}
