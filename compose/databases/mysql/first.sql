-- Run once, on an empty data directory. Loopback is the only way in, so there is no password.
CREATE DATABASE telar CHARACTER SET utf8mb4;
CREATE USER 'telar'@'%' IDENTIFIED BY '';
GRANT ALL PRIVILEGES ON *.* TO 'telar'@'%' WITH GRANT OPTION;
