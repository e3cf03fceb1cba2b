-- The movies in MySQL and MariaDB. Telar creates and fills the table; the apps never touch its shape.
-- Types are as wide as the contract's limits (openapi.yaml), so that every app stores what it accepts.
CREATE TABLE movie (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  title VARCHAR(255) NOT NULL,
  released_year INT,
  certificate VARCHAR(16),
  runtime_minutes INT,
  genre VARCHAR(255),
  rating DOUBLE,
  overview VARCHAR(2000),
  meta_score INT,
  director VARCHAR(255),
  star1 VARCHAR(255),
  star2 VARCHAR(255),
  star3 VARCHAR(255),
  star4 VARCHAR(255),
  votes INT,
  gross BIGINT,
  poster_url VARCHAR(512)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
