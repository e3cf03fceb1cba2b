-- 500 items; a semicolon in a text is no end of a statement.
INSERT INTO item (title, price, text)
WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 500)
SELECT CONCAT('item ', n), 100 + n, CONCAT('what it is; ', REPEAT('good ', 50)) FROM number;
INSERT INTO visit (user) VALUES ('first');
